import { CompiledQuery, sql } from 'kysely';
import { expect, it } from 'vitest';
import { withFeed } from '../support/feed.js';
import { queriesOf } from '../support/statements.js';
import { worldOf } from '../support/world.js';

it('A completion is one statement, which calls what tells of a change only for a user with a feed', async () => {
  const { ana, ben, ...here } = await worldOf('ana', 'ben');
  await withFeed(ben);
  for (const [user, calls] of [
    [ana, 0],
    [ben, 1],
  ] as const) {
    const task = await user.hasTask();
    const asked = await queriesOf(here, () => user.completes(task));
    expect(asked).toHaveLength(1);
    const { rows } = await here.database.transaction(async (tx) => {
      const query = tx.getKysely();
      await sql`set local track_functions = 'pl'`.execute(query);
      for (const each of asked) await query.executeQuery(CompiledQuery.raw(each.sql, [...each.parameters]));
      return sql`select from pg_stat_xact_user_functions where funcname = 'tell' and calls > 0`.execute(
        query,
      );
    });
    expect(rows).toHaveLength(calls);
  }
});
