import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { model } from '../../mikro-orm.config.js';
import { openServer } from '../../src/database/server/open.js';
import { configOf } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { withServer } from '../support/with-server.js';
import { world } from '../support/world.js';

const server = withServer();

/** A service whose pool has only connections of before `readOnly`, and later only such as came after it. */
async function service() {
  const name = `readonly_${randomUUID().replaceAll('-', '')}`;
  await server.execute(`create database ${name}`);
  const { patience } = configOf().timeouts;
  const database = await openServer(model, { url: server.url(name), poolSize: 3, patience });
  onTestFinished(() => database.close());
  const there = await world({ database });
  const ana = await there.newUser();
  const task = await ana.hasTask();
  const cut = () =>
    server.execute(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  return {
    ...there,
    ana,
    task,
    /** All connections end, and new ones reach a server that is read-only, as after a failover to come. */
    becomesReadOnly: async () => {
      await server.execute(`alter database ${name} set default_transaction_read_only = on`);
      await cut();
    },
    /** New connections reach the new primary. Those that are there stay where they are. */
    moves: () => server.execute(`alter database ${name} reset default_transaction_read_only`),
  };
}

const REFUSED = { status: 503, body: { error: 'Service unavailable, nothing was changed' } };

describe('A server that has become read-only', () => {
  it('is no place to write, is not ready, and is left as soon as there is another', async () => {
    const { rest, ana, task, becomesReadOnly, moves } = await service();
    await becomesReadOnly();
    await eventually(async () => (await rest.get('/health/ready')).status === 503);
    for (let count = 0; count < 5; count += 1) expect(await ana.completes(task)).toMatchObject(REFUSED);
    const query = `mutation { completeTask(taskId: ${task.id}) { completion { id } } }`;
    const { body } = await ana.rest.post('/graphql', { query });
    expect(body.errors[0].extensions).toMatchObject({ code: 'SERVICE_UNAVAILABLE', outcome: 'NOT_APPLIED' });
    expect((await ana.rest.get('/api/tasks/me')).status).toBe(200); // reading goes on

    await moves();
    await eventually(async () => (await ana.completes(task)).status === 201);
    await eventually(async () => (await rest.get('/health/ready')).status === 200);
    const many = await Promise.all(Array.from({ length: 12 }, () => ana.completes(task)));
    expect(many.map(({ status }) => status)).toEqual(Array(12).fill(201));
  });

  it('is left without a request, too: nobody reads there what is old', async () => {
    const { ana, database, becomesReadOnly, moves } = await service();
    await becomesReadOnly();
    await eventually(() => ana.rest.get('/api/tasks/me').then(({ status }) => status === 200)); // a connection to it
    await moves();
    await eventually(async () => {
      const { rows } = await database.orm.em
        .fork()
        .getConnection()
        .execute<{ answer: string }[]>("select current_setting('transaction_read_only') as answer")
        .then((rows) => ({ rows }));
      return rows[0]?.answer === 'off';
    });
  });
});
