import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { startService, temporaryFolder } from '../support/process.js';
import { type PostgresServer, startPostgres } from '../support/server.js';
import type { RestClient } from '../support/world.js';

describe('On a PostgreSQL server, the service', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  async function service(database: string) {
    await server.execute(`create database ${database}`);
    const environment = { DATABASE_URL: server.url(database), DATA_DIR: temporaryFolder() };
    const process = startService(environment);
    const rest = await process.listening();
    const { body } = await rest.post('/api/auth/signup', {
      name: 'Ana',
      email: 'ana@example.com',
      password: 'secret1',
    });
    const user = rest.as(body.token);
    const task = (await user.post('/api/tasks', { title: 'Swim' })).body;
    return { process, environment, user, task };
  }

  /** Completes a task from several clients at once until told to stop; answers what was acknowledged. */
  function writing(user: RestClient, task: { id: number }, clients = 8) {
    const acknowledged: number[] = [];
    const refused: number[] = [];
    let isOver = false;
    const write = async () => {
      while (!isOver) {
        const { status, body } = await user.post('/api/task-completions', { task_id: task.id });
        if (status === 201) acknowledged.push(body.id);
        else refused.push(status);
      }
    };
    const done = Promise.allSettled(Array.from({ length: clients }, write));
    const stop = () => {
      isOver = true;
      return done;
    };
    return { acknowledged, refused, stop, done };
  }

  it('brings an empty database up to date, even with several processes at once', async () => {
    await server.execute('create database together template template0');
    const environment = { DATABASE_URL: server.url('together') };
    const processes = [1, 2, 3].map(() => startService({ ...environment, DATA_DIR: temporaryFolder() }));
    for (const process of processes) {
      expect((await (await process.listening()).get('/health/ready')).status).toBe(200);
    }
  });

  it('loses no acknowledged write when it is killed', async () => {
    const { process, environment, user, task } = await service('killed');
    const { acknowledged, done } = writing(user, task);
    await eventually(() => acknowledged.length >= 50);
    await process.stop('SIGKILL');
    await done;

    const again = (await startService(environment).listening()).as(user.token ?? '');
    const [{ completion_count: count }] = (await again.get('/api/tasks/me')).body;
    expect(count).toBeGreaterThanOrEqual(acknowledged.length);
    expect((await again.get('/api/user/profile')).body.points).toBe(10 * count);
  });

  it('survives a loss of every connection in the middle of writing, and loses no acknowledged write', async () => {
    const { user, task } = await service('cut');
    const { acknowledged, refused, stop } = writing(user, task, 12);
    for (let cut = 1; cut <= 5; cut += 1) {
      const before = acknowledged.length;
      await server.execute(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = 'cut' and pid <> pg_backend_pid()`,
      );
      // Every slot of the pool comes back: writes go on.
      await eventually(() => acknowledged.length > before + 30);
    }
    await stop();

    expect(new Set(refused)).toEqual(refused.length > 0 ? new Set([503]) : new Set());
    const [{ completion_count: count }] = (await user.get('/api/tasks/me')).body;
    expect(count).toBeGreaterThanOrEqual(acknowledged.length);
    expect(count).toBeLessThanOrEqual(acknowledged.length + refused.length);
  });

  it('finds out by itself what became of a completion with an idempotency key', async () => {
    const { user, task } = await service('keys');
    const cut = () =>
      server.execute(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = 'keys' and pid <> pg_backend_pid()`,
      );
    const complete = (key: string) =>
      user.post('/api/task-completions', { task_id: task.id }, { 'Idempotency-Key': key });
    for (let round = 1; round <= 10; round += 1) {
      const running = Array.from({ length: 10 }, (_, index) => complete(`${round}-${index}`));
      await cut();
      expect((await Promise.all(running)).map(({ status }) => status)).toEqual(Array(10).fill(201));
    }
    // A read may be 503 on a connection that was cut last.
    const listed = await eventually(async () => {
      const answer = await user.get('/api/tasks/me');
      return answer.status === 200 && answer;
    });
    expect(listed.body).toMatchObject([{ completion_count: 100 }]);
  });

  it('loses no place in its pool when connections break inside transactions', async () => {
    const { user } = await service('transactions');
    for (let round = 0; round < 3; round += 1) {
      const running = Array.from({ length: 40 }, () => user.post('/api/tasks', { title: 'Swim' }));
      await server.execute(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = 'transactions' and pid <> pg_backend_pid()`,
      );
      for (const { status } of await Promise.all(running)) expect([201, 503]).toContain(status);
    }
    const afterwards = Array.from({ length: 40 }, () => user.post('/api/tasks', { title: 'Run' }));
    expect((await Promise.all(afterwards)).map(({ status }) => status)).toEqual(Array(40).fill(201));
  });
});
