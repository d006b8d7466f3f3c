import { expect, it, onTestFinished } from 'vitest';
import { model } from '../../mikro-orm.config.js';
import { openServer } from '../../src/database/server/open.js';
import { configOf } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { withServer } from '../support/with-server.js';
import { world } from '../support/world.js';

const server = withServer();

const REFUSED = { status: 503, body: { error: 'Service unavailable, nothing was changed' } };

it('A server that has become read-only is no place to write, is not ready, and is left as soon as there is another, with or without a request', async () => {
  const url = await server.newDatabase();
  const name = new URL(url).pathname.slice(1);
  const { patience } = configOf().timeouts;
  const database = await openServer(model, { url, poolSize: 3, patience });
  onTestFinished(() => database.close());
  const { rest, newUser } = await world({ database });
  const ana = await newUser();
  const task = await ana.hasTask();
  /** All connections end, and new ones reach a server that is read-only, as after a failover to come. */
  const becomesReadOnly = async () => {
    await server.execute(`alter database ${name} set default_transaction_read_only = on`);
    await server.execute(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  };
  /** New connections reach the new primary. Those that are there stay where they are. */
  const moves = () => server.execute(`alter database ${name} reset default_transaction_read_only`);
  const reads = async () => (await ana.rest.get('/api/tasks/me')).status === 200;
  const isReady = async () => (await rest.get('/health/ready')).status === 200;

  await becomesReadOnly();
  await eventually(async () => !(await isReady()));
  for (let count = 0; count < 5; count += 1) expect(await ana.completes(task)).toMatchObject(REFUSED);
  const { errors } = await ana.rest.ask(
    `mutation { completeTask(taskId: ${task.id}) { completion { id } } }`,
  );
  expect(errors).toMatchObject([{ extensions: { code: 'SERVICE_UNAVAILABLE', outcome: 'NOT_APPLIED' } }]);
  expect(await reads()).toBe(true);
  await moves();
  await eventually(async () => (await ana.completes(task)).status === 201);
  await eventually(isReady);
  const many = await Promise.all(Array.from({ length: 12 }, () => ana.completes(task)));
  expect(many.map(({ status }) => status)).toEqual(Array(12).fill(201));

  await becomesReadOnly();
  await eventually(reads);
  await moves();
  const isOff = "select current_setting('transaction_read_only') as answer";
  await eventually(async () => {
    const [row] = await database.orm.em.fork().execute<{ answer: string }[]>(isOff);
    return row?.answer === 'off';
  });
});
