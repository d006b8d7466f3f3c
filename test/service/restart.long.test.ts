import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { startService, temporaryFolder } from '../support/process.js';
import { withServer } from '../support/with-server.js';
import { signUp } from '../support/world.js';

describe('On a PostgreSQL server, the service', () => {
  const server = withServer();

  it('brings an empty database up to date, even with several processes at once', async () => {
    const DATABASE_URL = await server.newDatabase('template template0');
    const processes = [1, 2, 3].map(() => startService({ DATABASE_URL, DATA_DIR: temporaryFolder() }));
    for (const process of processes) {
      expect((await (await process.listening()).get('/health/ready')).status).toBe(200);
    }
  });

  it('loses no acknowledged write when it is killed', async () => {
    const environment = { DATABASE_URL: await server.newDatabase(), DATA_DIR: temporaryFolder() };
    const process = startService(environment);
    const user = await signUp(await process.listening());
    const task = await user.hasTask();
    const acknowledged: number[] = [];
    const write = async () => {
      for (;;) {
        const { status, body } = await user.completes(task);
        if (status === 201) acknowledged.push(body.id);
      }
    };
    const writing = Promise.allSettled(Array.from({ length: 8 }, write));
    await eventually(() => acknowledged.length >= 50);
    await process.stop('SIGKILL');
    await writing;

    const again = (await startService(environment).listening()).as(user.token);
    const [{ completion_count: count }] = (await again.get('/api/tasks/me')).body;
    expect(count).toBeGreaterThanOrEqual(acknowledged.length);
    expect((await again.get('/api/user/profile')).body.points).toBe(10 * count);
  });
});
