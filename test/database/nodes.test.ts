import { sql } from 'kysely';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { model } from '../../mikro-orm.config.js';
import { openServer } from '../../src/database/server/open.js';
import { execute } from '../support/citus.js';
import { configOf, freshUrl, isOnManyNodes } from '../support/database.js';
import { allQueriesOf } from '../support/statements.js';
import { refusal, type World, world } from '../support/world.js';

const UNKNOWN = refusal(503, 'The outcome is unknown');

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

/** As Citus does when one of its nodes is lost: an error like any other, of which only the code is special. */
async function failing(when: string, code: string): Promise<World> {
  const { database, ...here } = await onNodes();
  await sql`
    create function fail() returns trigger language plpgsql as $$
    begin raise exception 'lost a node' using errcode = ${sql.lit(code)}; end $$`.execute(database.query());
  await sql.raw(`create ${when} for each row execute function fail()`).execute(database.query());
  return { database, ...here };
}

describe('A server that has lost one of its nodes', () => {
  it('does not know what became of a commit', async () => {
    const here = await failing(
      'constraint trigger failing after insert on tasks deferrable initially deferred',
      'XX000',
    );
    const ana = await here.newUser();
    expect(await ana.rest.post('/api/tasks', { title: 'Swim', points: 1 })).toEqual(UNKNOWN);
  });

  it('does not know what became of a statement that commits by itself', async () => {
    const here = await failing('trigger failing before insert on revocations', '08006');
    const ana = await here.newUser();
    const mutation = 'mutation { signOut { signedOutAt } }';
    const answer = await ana.rest.post('/graphql', { query: mutation });
    expect(answer.body.errors[0].extensions).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      outcome: 'UNKNOWN',
    });
  });

  it('knows that a transaction has changed nothing before its commit', async () => {
    const here = await failing('trigger failing before insert on tasks', '08006');
    const ana = await here.newUser();
    expect(await ana.rest.post('/api/tasks', { title: 'Swim', points: 1 })).toEqual(
      refusal(503, 'Service unavailable, nothing was changed'),
    );
  });
});

describe('A completion by a user who is on one of several nodes', () => {
  it('is recorded by a transaction, each statement of which changes one table', async () => {
    const here = await onNodes();
    const ana = await here.newUser();
    const task = await ana.hasTask({ points: 2.5 });
    const asked = await allQueriesOf(here, () => ana.completes(task));
    const changing = asked.filter(({ sql: text }) => /\b(insert|update) /.test(text));
    expect(changing.length).toBeGreaterThan(2);
    for (const { sql: text } of changing) expect(text.match(/\b(insert into|update) /g)).toHaveLength(1);
    expect(await ana.profile()).toMatchObject({ points: 2.5, current_streak: 1, max_streak: 1 });
  });
});
