import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { nextSpan } from '../../src/streaks/distributed-correction.js';
import { StreakJob } from '../../src/streaks/streak.job.js';
import { freshDatabase } from '../support/database.js';

it('On many nodes, the streak job corrects the users of all ids, and each once', async () => {
  const database = await freshDatabase();
  onTestFinished(() => database.close());
  Object.defineProperty(database, 'isDistributed', { value: true });
  const query = database.query();
  await sql`
    insert into users (id, email, name, password_hash, created_at, updated_at)
    select id, id || '@example.com', 'User', 'none', now(), now() from (
      select gen_random_uuid() as id from generate_series(1, 300)
      union all select '00000000-0000-0000-0000-000000000000'
      union all select 'ffffffff-ffff-ffff-ffff-ffffffffffff'
      union all select '7fffffff-ffff-ffff-ffff-ffffffffffff'
      union all select '80000000-0000-0000-0000-000000000000'
    ) ids`.execute(query);
  await sql`
    insert into user_progress (user_id, points, current_streak, max_streak, last_active_on, run_started_on, longest_run)
    select id, 0, 5, 5, '2026-11-10', '2026-11-06', 5 from users`.execute(query);
  const job = new StreakJob(database, systemClock);
  const corrected = async (now: string) => (await job.run(new Date(now))).corrected;
  expect([await corrected('2026-11-21'), await corrected('2026-11-21')]).toEqual([304, 0]);
  expect(await corrected('2026-11-11')).toBe(304); // by a clock that was set back: they are alive then
  const streaks = await sql`select distinct current_streak as days, max_streak as most from user_progress`;
  expect((await streaks.execute(query)).rows).toEqual([{ days: 5, most: 5 }]);
  const runs = await sql`select corrected, ended_at is not null as ended from streak_runs`.execute(query);
  expect(runs.rows).toEqual(Array(2).fill({ corrected: 304, ended: true }));
});

it('Ranges of ids become wider where few have to be corrected, and narrower where many do', () => {
  expect(nextSpan(1_000, 0)).toBe(4_000);
  expect(nextSpan(1_000, 2_000)).toBe(1_000);
  expect(nextSpan(1_000, 4_000)).toBe(500);
  expect(nextSpan(1_000, 1_000_000)).toBe(250);
  expect([nextSpan(1, 1_000_000), nextSpan(2 ** 32, 0)]).toEqual([1, 2 ** 32]);
});
