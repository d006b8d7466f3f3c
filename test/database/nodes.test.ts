import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freshDatabase } from '../support/database.js';
import { refusal, type World, world } from '../support/world.js';

const UNKNOWN = refusal(503, 'The outcome is unknown');

/** As Citus does when one of its nodes is lost: an error like any other, of which only the code is special. */
async function failing(when: string, code: string): Promise<World> {
  const database = await freshDatabase(1);
  onTestFinished(() => database.close());
  const here = await world({ database });
  await sql`
    create function fail() returns trigger language plpgsql as $$
    begin raise exception 'lost a node' using errcode = ${sql.lit(code)}; end $$`.execute(database.query());
  await sql.raw(`create ${when} for each row execute function fail()`).execute(database.query());
  return here;
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
    const here = await failing('trigger failing before insert on task_completions', '08006');
    const ana = await here.newUser();
    const task = await ana.hasTask();
    expect(await ana.rest.post('/api/task-completions', { task_id: task.id })).toEqual(UNKNOWN);
  });

  it('knows that a transaction has changed nothing before its commit', async () => {
    const here = await failing('trigger failing before insert on tasks', '08006');
    const ana = await here.newUser();
    expect(await ana.rest.post('/api/tasks', { title: 'Swim', points: 1 })).toEqual(
      refusal(503, 'Service unavailable, nothing was changed'),
    );
  });

  it('serves the next request with the same session, since it is the other that is lost', async () => {
    const here = await failing('trigger failing before insert on tasks', '08006');
    const ana = await here.newUser();
    const session = async () =>
      (await sql`select pg_backend_pid() as id`.execute(here.database.query())).rows;
    const before = await session();
    await ana.rest.post('/api/tasks', { title: 'Swim', points: 1 });
    expect((await ana.rest.get('/api/tasks/me')).status).toBe(200);
    expect(await session()).toEqual(before);
  });
});
