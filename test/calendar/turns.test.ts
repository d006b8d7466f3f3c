import { expect, it } from 'vitest';
import type { Database } from '../../src/database/database.js';
import { tasks } from '../../src/features/habits/task.queries.js';
import { CalendarService } from '../../src/features/history/calendar/calendar.service.js';
import { UserDaysService } from '../../src/features/history/streaks/user-days.service.js';
import { worldOf } from '../support/world.js';

it.each(['statisticsOf', 'ofTasks'] as const)(
  'Judging the days of many tasks lets others in between: %s',
  async (ask) => {
    const { ana, database, clock } = await worldOf('ana');
    const { id } = await ana.hasTask();
    const [task] = await database.run(tasks.byId, { id, userId: ana.id });
    if (!task) throw new Error('The task is not there');
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    // From here on nothing is read any more.
    const reading: Database = Object.assign(Object.create(database), { noteRead: () => (turns = 0) });
    const many = Array.from({ length: 200 }, () => ({ task, last: 366 }));
    const calendars = new CalendarService(reading, new UserDaysService(database, clock), {
      all: async () => [],
    });
    setImmediate(count);
    const found = await calendars[ask](ana.id, many);
    isDone = true;
    expect(found).toHaveLength(200);
    expect(turns).toBeGreaterThan(20);
  },
);
