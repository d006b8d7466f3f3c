import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { dataDirectory, run, startService, temporaryFolder } from '../support/process.js';
import type { RestClient } from '../support/world.js';

const ana = { name: 'Ana', email: 'ana@example.com', password: 'secret1' };

async function signUp(rest: RestClient): Promise<RestClient> {
  const { body } = await rest.post('/api/auth/signup', ana);
  return rest.as(body.token);
}

describe('The embedded database', () => {
  it('keeps data and tokens across restarts', async () => {
    const DATA_DIR = temporaryFolder();
    const first = startService({ DATA_DIR });
    const user = await signUp(await first.listening());
    await user.post('/api/tasks', { title: 'Swim' });
    expect(await first.stop()).toBe(0);

    const second = startService({ DATA_DIR });
    const again = (await second.listening()).as(user.token ?? '');
    expect((await again.get('/api/tasks/me')).body).toMatchObject([{ task: { title: 'Swim' } }]);
  });

  it('loses no acknowledged write when the process is killed in the middle of writing', async () => {
    const DATA_DIR = dataDirectory();
    let service = startService({ DATA_DIR });
    let user = await signUp(await service.listening());
    const token = user.token ?? '';
    const task = (await user.post('/api/tasks', { title: 'Swim' })).body;
    const acknowledged: number[] = [];

    for (let round = 0; round < 3; round += 1) {
      const writers = [1, 2, 3, 4].map(async () => {
        for (;;) {
          const { status, body } = await user.post('/api/task-completions', { task_id: task.id });
          if (status === 201) acknowledged.push(body.id);
          if (acknowledged.length >= 20 * (round + 1)) service.child.kill('SIGKILL');
        }
      });
      await Promise.allSettled(writers);
      await service.exited;
      service = startService({ DATA_DIR });
      user = (await service.listening()).as(token);
    }

    const { points } = (await user.get('/api/user/profile')).body;
    const [{ completion_count: count }] = (await user.get('/api/tasks/me')).body;
    expect(count).toBeGreaterThanOrEqual(acknowledged.length);
    expect(points).toBe(10 * count);
    expect(new Set(acknowledged).size).toBe(acknowledged.length);
  });

  it('refuses a second process on the same directory, and the first goes on', async () => {
    const DATA_DIR = dataDirectory();
    const first = startService({ DATA_DIR });
    const rest = await first.listening();
    const second = startService({ DATA_DIR });
    expect(await second.exited).toBe(1);
    expect(second.output).toBe(
      `DATA_DIR ${DATA_DIR} is in use by another Steady. Stop that one, or choose another directory.\n`,
    );
    expect((await rest.get('/health/ready')).status).toBe(200);
  });

  it('is not touched by a command while the service holds it', async () => {
    const DATA_DIR = dataDirectory();
    await startService({ DATA_DIR }).listening();
    const command = run('commands/streaks-reset.js', { DATA_DIR });
    expect(await command.exited).toBe(1);
    expect(command.output).toContain('is in use by another Steady');
  });

  it("refuses a directory that is not Steady's and leaves it as it is", async () => {
    const DATA_DIR = temporaryFolder();
    mkdirSync(DATA_DIR);
    writeFileSync(path.join(DATA_DIR, 'thesis.txt'), 'precious');
    const service = startService({ DATA_DIR });
    expect(await service.exited).toBe(1);
    expect(service.output).toMatch(/^DATA_DIR \S+ holds something that is not Steady's\. .+\n$/);
    expect(readdirSync(DATA_DIR)).toEqual(['thesis.txt']);
    expect(readFileSync(path.join(DATA_DIR, 'thesis.txt'), 'utf8')).toBe('precious');
  });

  it('refuses a damaged database instead of starting anew over it', async () => {
    const DATA_DIR = dataDirectory();
    rmSync(path.join(DATA_DIR, 'postgres', 'PG_VERSION'));
    const service = startService({ DATA_DIR });
    expect(await service.exited).toBe(1);
    expect(service.output).toMatch(/^The database in \S+ is damaged\. .+\n$/);
  });

  it('starts afresh when the process was killed while making it', async () => {
    const DATA_DIR = temporaryFolder();
    const killed = run('commands/migrate.js', { DATA_DIR });
    const draft = path.join(DATA_DIR, 'postgres.new', 'base');
    await vi.waitUntil(() => existsSync(draft), { timeout: 20_000, interval: 5 });
    await killed.stop('SIGKILL');
    expect(readdirSync(DATA_DIR)).not.toContain('postgres');
    expect(await run('commands/migrate.js', { DATA_DIR }).exited).toBe(0);
    expect(readdirSync(DATA_DIR)).toContain('postgres');
  });
});
