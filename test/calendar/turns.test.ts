import { describe, expect, it } from 'vitest';
import type { Database } from '../../src/database/database.js';
import { type TaskRow, tasks } from '../../src/features/habits/task.queries.js';
import { CalendarService } from '../../src/features/history/calendar/calendar.service.js';
import { UserDaysService } from '../../src/features/history/streaks/user-days.service.js';
import { worldOf } from '../support/world.js';

type Ask = (calendars: CalendarService, userId: string, tasks: TaskRow[]) => Promise<unknown[]>;

const asked: Record<string, Ask> = {
  statistics: (calendars, userId, tasks) =>
    calendars.statisticsOf(
      userId,
      tasks.map((task) => ({ task, last: 1_830 })),
    ),
  calendars: (calendars, userId, tasks) =>
    calendars.ofTasks(
      userId,
      tasks.map((task) => ({ task, last: 366 })),
    ),
};

describe.each(Object.entries(asked))('Judging the days of many tasks for their %s', (_name, ask) => {
  it('lets others in between', async () => {
    const { ana, database, clock } = await worldOf('ana');
    const { id } = await ana.hasTask();
    const [task] = await database.run(tasks.byId, { id, userId: ana.id });
    if (!task) throw new Error('The task is not there');
    const many = Array.from({ length: 200 }, () => task);
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    // From here on nothing is read any more.
    const reading: Database = Object.assign(Object.create(database), { noteRead: () => (turns = 0) });
    const days = new UserDaysService(database, clock);
    const calendars = new CalendarService(reading, days, { all: async () => many });
    setImmediate(count);
    const found = await ask(calendars, ana.id, many);
    isDone = true;
    expect(found).toHaveLength(200);
    expect(turns).toBeGreaterThan(20);
  });
});
