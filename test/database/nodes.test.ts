import { sql } from 'kysely';
import { expect, inject, it, onTestFinished } from 'vitest';
import { model } from '../../mikro-orm.config.js';
import { openServer } from '../../src/database/server/open.js';
import { execute } from '../support/citus.js';
import { configOf, freshUrl, isOnManyNodes } from '../support/database.js';
import { allQueriesOf } from '../support/statements.js';
import { type Answer, refusal, type World, world } from '../support/world.js';

/** A server that says of itself, as Citus does, that users are on several. */
async function onNodes(): Promise<World> {
  const template = inject('template');
  const url = await freshUrl(template.url);
  if (!isOnManyNodes(template)) {
    await execute(url, 'create table pg_dist_partition (logicalrelid regclass)');
    await execute(url, `insert into pg_dist_partition values ('user_progress')`);
  }
  const database = await openServer(model, { url, poolSize: 1, patience: configOf().timeouts.patience });
  onTestFinished(() => database.close());
  return world({ database });
}

it('A server that has lost one of its nodes knows what became of what had not come to its commit, and of no other', async () => {
  const { database, newUser } = await onNodes();
  const ana = await newUser();
  // As Citus does it: an error like any other, of which only the code is special.
  const failing = async (when: string, code: string, work: () => Promise<Answer>) => {
    await sql
      .raw(`create or replace function fail() returns trigger language plpgsql as $$
      begin raise exception 'lost a node' using errcode = '${code}'; end $$`)
      .execute(database.query());
    const on = when.split(' on ')[1]?.split(' ')[0];
    await sql.raw(`create ${when} for each row execute function fail()`).execute(database.query());
    const answer = await work();
    await sql.raw(`drop trigger failing on ${on}`).execute(database.query());
    return answer;
  };
  const makeTask = () => ana.rest.post('/api/tasks', { title: 'Swim', points: 1 });
  const late = 'constraint trigger failing after insert on tasks deferrable initially deferred';
  expect(await failing(late, 'XX000', makeTask)).toEqual(refusal(503, 'The outcome is unknown'));
  const before = 'trigger failing before insert on tasks';
  expect(await failing(before, '08006', makeTask)).toEqual(
    refusal(503, 'Service unavailable, nothing was changed'),
  );
  // It commits by itself.
  const signOut = () => ana.rest.post('/graphql', { query: 'mutation { signOut { signedOutAt } }' });
  const { body } = await failing('trigger failing before insert on revocations', '08006', signOut);
  expect(body.errors).toMatchObject([{ extensions: { code: 'SERVICE_UNAVAILABLE', outcome: 'UNKNOWN' } }]);
});

it('A completion by a user who is on one of several nodes is recorded by a transaction, each statement of which changes one table', async () => {
  const here = await onNodes();
  const ana = await here.newUser();
  const task = await ana.hasTask({ points: 2.5 });
  const asked = await allQueriesOf(here, () => ana.completes(task));
  const changing = asked.filter(({ sql: text }) => /\b(insert|update) /.test(text));
  expect(changing.length).toBeGreaterThan(2);
  for (const { sql: text } of changing) expect(text.match(/\b(insert into|update) /g)).toHaveLength(1);
  expect(await ana.profile()).toMatchObject({ points: 2.5, current_streak: 1, max_streak: 1 });
});
