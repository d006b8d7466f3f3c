import { CompiledQuery, sql } from 'kysely';
import { expect, it } from 'vitest';
import { ownDatabase } from '../support/database.js';
import { setFeed } from '../support/feed.js';
import { type Query, queriesOf } from '../support/statements.js';
import { type World, world } from '../support/world.js';

/** What a statement writes and touches, without what a checkpoint makes of it. */
async function planOf({ database }: World, { sql: text, parameters }: Query): Promise<string> {
  const explain = CompiledQuery.raw(`explain (analyze, wal, timing off, costs off, summary off) ${text}`, [
    ...parameters,
  ]);
  const { rows } = await database.query().executeQuery<Record<string, string>>(explain);
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

const walOf = (plan: string) => Number(/WAL: .*bytes=(\d+)/.exec(plan)?.[1]);

/** Whether a statement calls what tells of a change. */
const toldBy = ({ database }: World, { sql: text, parameters }: Query): Promise<boolean> =>
  database.transaction(async (tx) => {
    const query = tx.getKysely();
    await sql`set local track_functions = 'pl'`.execute(query);
    await query.executeQuery(CompiledQuery.raw(text, [...parameters]));
    const { rows } = await sql`
      select from pg_stat_xact_user_functions where funcname = 'tell' and calls > 0`.execute(query);
    return rows.length > 0;
  });

it('A completion of a user without a feed is one statement, and calls and writes nothing for it', async () => {
  const here = await world({ database: await ownDatabase() });
  const [ana, ben] = [await here.newUser(), await here.newUser()];
  await setFeed(ben, true);
  const counts: Record<string, number> = {};
  for (const [name, user] of Object.entries({ ana, ben })) {
    const task = await user.hasTask();
    const asked = await queriesOf(here, () => user.completes(task));
    expect(asked, name).toHaveLength(1);
    const [completion] = asked as [Query];
    const plans = [];
    for (let time = 0; time < 5; time += 1) plans.push(await planOf(here, completion));
    counts[name] = Math.min(...plans.map(walOf)); // a page that a checkpoint has seen is written whole, once
    expect(await toldBy(here, completion), name).toBe(name === 'ben');
  }
  // 533, as before there were feeds.
  expect(counts.ana).toBeLessThanOrEqual(600);
  expect(counts.ben).toBeGreaterThan((counts.ana ?? 0) + 100);
  const { rows } = await sql<{ rows: number }>`
    select count(*)::int as rows from events where user_id = ${ana.id}`.execute(here.database.query());
  expect(rows).toEqual([{ rows: 0 }]);
});
