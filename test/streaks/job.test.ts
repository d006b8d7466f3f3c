import { sql } from 'kysely';
import { expect, inject, it } from 'vitest';
import { systemClock } from '../../src/base/clock.js';
import { StreakJob } from '../../src/features/history/streaks/streak.job.js';
import { isOnManyNodes, ownDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { someoneWaits } from '../support/locks.js';

const template = inject('template');

/** All with a streak of five days, which ended on 2026-11-10. */
async function manyUsers() {
  const database = await ownDatabase();
  const query = database.query();
  await sql`
    insert into users (id, email, name, password_hash, created_at, updated_at)
    select id, id || '@example.com', 'User', 'none', now(), now() from (
      select gen_random_uuid() as id from generate_series(1, 1300)
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
  return { database, query, corrected };
}

it('The streak job corrects the users of all ids, and each once', async () => {
  const { query, corrected } = await manyUsers();
  expect([await corrected('2026-11-21'), await corrected('2026-11-21')]).toEqual([1304, 0]);
  expect(await corrected('2026-11-11')).toBe(1304); // by a clock that was set back: they are alive then
  const streaks = await sql`select distinct current_streak as days, max_streak as most from user_progress`;
  expect((await streaks.execute(query)).rows).toEqual([{ days: 5, most: 5 }]);
  const runs = await sql`select corrected, ended_at is not null as ended from streak_runs`.execute(query);
  expect(runs.rows).toEqual(Array(2).fill({ corrected: 1304, ended: true }));
});

// Citus takes no lock with a limit to the nodes, nor rows that nobody holds.
it.skipIf(isOnManyNodes(template))(
  'The streak job holds nobody up while it waits for a row that somebody else holds',
  async () => {
    const { query, corrected } = await manyUsers();
    const held = '7fffffff-ffff-ffff-ffff-ffffffffffff';
    const free = sql`select from user_progress where user_id <> ${held} for no key update skip locked`;
    let running: Promise<number> | undefined;
    await query.transaction().execute(async (holder) => {
      await sql`select from user_progress where user_id = ${held} for no key update`.execute(holder);
      running = corrected('2026-11-21');
      await eventually(() => someoneWaits(query));
      await eventually(async () => (await free.execute(query)).rows.length === 1303);
    });
    expect(await running).toBe(1304);
  },
);
