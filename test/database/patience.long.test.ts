import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/process.js';
import { isStatement } from '../support/proxy.js';
import { freshDatabase, numberOf, serviceOn } from '../support/service.js';
import { withServer } from '../support/with-server.js';
import { refusal, SECRET } from '../support/world.js';

const NOT_APPLIED = refusal(503, 'Service unavailable, nothing was changed');

const server = withServer({ deadlock_timeout: '100ms' });

it('At start the service waits for a database that is not there yet, and says so', async () => {
  const { database, proxy } = await freshDatabase(server);
  proxy.refuse();
  const service = startService({ DATABASE_URL: proxy.through(server.url(database)), JWT_SECRET: SECRET });
  await eventually(() => service.output.includes('Waiting for the database'));
  await proxy.accept();
  const rest = await service.listening();
  expect((await rest.get('/health/ready')).status).toBe(200);
});

describe('A request', () => {
  it('is given up when it waits for a lock too long, or its statements together take too long, though each is quick', async () => {
    const { proxy, direct, ana, task } = await serviceOn(server);
    await direct.query('begin; select from user_progress for update');
    expect(await ana.completes(task)).toEqual(NOT_APPLIED);
    await direct.query('rollback');
    expect((await ana.completes(task)).status).toBe(201);
    expect(await numberOf(direct, 'task_completions')).toBe(1);
    proxy.delay(700);
    expect(await ana.rest.post('/api/tasks', { title: 'Read' })).toEqual(NOT_APPLIED);
    await proxy.heal();
    expect(await numberOf(direct, 'tasks')).toBe(1);
  });

  it('is tried again after a deadlock, and succeeds', async () => {
    const { direct, ana, task } = await serviceOn(server, { REQUEST_TIMEOUT: '60000' });
    // Whoever finds the deadlock is undone: that is the service, for this connection does not look.
    await direct.query(`set deadlock_timeout = '60s'`);
    await direct.query('begin; select from tasks for update');
    const completing = ana.completes(task);
    await eventually(async () => (await numberOf(direct, 'pg_locks where not granted')) > 0);
    await direct.query('select from user_progress for update');
    await direct.query('commit');
    expect((await completing).status).toBe(201);
    expect(await numberOf(direct, 'task_completions')).toBe(1);
  });

  it('with an idempotency key learns its outcome within its time', async () => {
    const { proxy, direct, ana, task } = await serviceOn(server, { REQUEST_TIMEOUT: '10000' });
    const complete = (key: string) => ana.completes(task, { 'Idempotency-Key': key });
    for (const ending of ['cut', 'reset', undefined] as const) {
      proxy.swallow(isStatement('insert into task_completions'), ending);
      expect(await complete(`swallowed-${ending}`)).toMatchObject({ status: 201 });
    }
    proxy.when(isStatement('insert into task_completions'), (wire) => wire.reset());
    expect(await complete('never-arrived')).toMatchObject({ status: 201 });
    expect(await numberOf(direct, 'task_completions')).toBe(4);
  });
});
