import { describe, expect, it } from 'vitest';
import { CalendarService } from '../../src/calendar/calendar.service.js';
import type { Database } from '../../src/database/database.js';
import { UserDaysService } from '../../src/streaks/user-days.service.js';
import { tasks } from '../../src/tasks/task.queries.js';
import { worldOf } from '../support/world.js';

const asked = {
  statistics: { last: 1_830, of: 'statisticsOf' },
  calendars: { last: 366, of: 'ofEach' },
} as const;

describe.each(Object.entries(asked))('Judging the days of many %s', (_name, { last, of }) => {
  it('lets others in between', async () => {
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
    const calendars = new CalendarService(reading, new UserDaysService(database, clock));
    setImmediate(count);
    const days = await calendars[of](
      ana.id,
      Array.from({ length: 200 }, () => ({ task, last })),
    );
    isDone = true;
    expect(days).toHaveLength(200);
    expect(turns).toBeGreaterThan(20);
  });
});
