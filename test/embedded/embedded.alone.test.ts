import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { contentsOf } from '../support/contents.js';
import { isAlive, postgresOf, signUp } from '../support/embedded.js';
import { eventually } from '../support/eventually.js';
import { dataDirectory, run, startService, temporaryFolder } from '../support/process.js';

describe('The embedded database', () => {
  it('is made at the first start, closed to others, and keeps data and tokens', async () => {
    const DATA_DIR = temporaryFolder();
    const first = startService({ DATA_DIR });
    const user = await signUp(await first.listening());
    await user.post('/api/tasks', { title: 'Swim' });
    expect(first.output).not.toMatch(/"level":[456]0/);
    expect(readdirSync(DATA_DIR).sort()).toEqual(['jwt-secret', 'lock', 'postgresql', 'steady.json']);
    const state = readFileSync(path.join(DATA_DIR, 'postgresql', 'postmaster.pid'), 'utf8').split('\n');
    expect(state.slice(4, 6)).toEqual([path.join(DATA_DIR, 'postgresql'), '']); // a socket there, and no port
    const postgres = postgresOf(DATA_DIR);
    expect(await first.stop()).toBe(0);
    expect(isAlive(postgres)).toBe(false);

    const again = (await startService({ DATA_DIR }).listening()).as(user.token ?? '');
    expect((await again.get('/api/tasks/me')).body).toMatchObject([{ task: { title: 'Swim' } }]);
  });

  it('refuses a second service on the same directory, and serves commands beside the first', async () => {
    const DATA_DIR = dataDirectory();
    const first = startService({ DATA_DIR });
    await signUp(await first.listening());
    const second = startService({ DATA_DIR });
    expect(await second.exited).toBe(1);
    expect(second.output).toBe(
      `DATA_DIR ${DATA_DIR} is open in another process (${first.child.pid}), such as the service itself: the embedded database takes one service at a time. Stop that process, or choose another directory.\n`,
    );
    const users = run('commands/users.js', { DATA_DIR }, ['list']);
    expect(await users.exited).toBe(0);
    expect(users.output).toContain('ana@example.com');
    const moved = run('commands/move.js', { DATA_DIR: temporaryFolder() }, [
      `--from=${DATA_DIR}`,
      `--to=${temporaryFolder()}`,
    ]);
    expect(await moved.exited).toBe(1);
    expect(moved.output).toContain('is open in another process');
  });

  it('ends with its service, however that dies, and is found by the next start', async () => {
    const DATA_DIR = dataDirectory();
    const first = startService({ DATA_DIR });
    const user = await signUp(await first.listening());
    const postgres = postgresOf(DATA_DIR);
    await first.stop('SIGKILL');
    const again = (await startService({ DATA_DIR }).listening()).as(user.token ?? ''); // at once
    expect((await again.get('/api/user/profile')).status).toBe(200);
    expect(isAlive(postgres)).toBe(false);
  });

  it('is started again when it is killed, and the service says so', async () => {
    const DATA_DIR = dataDirectory();
    const service = startService({ DATA_DIR });
    const user = await signUp(await service.listening());
    process.kill(postgresOf(DATA_DIR), 'SIGKILL');
    await eventually(() => service.output.includes('The embedded database is back'));
    expect(service.output).toContain('The embedded database has ended (SIGKILL): it is started again');
    await eventually(async () => (await user.post('/api/tasks', { title: 'Swim' })).status === 201);
    expect(await service.stop()).toBe(0);
  });

  it.each([
    [
      'of an earlier Steady',
      'postgres',
      '18\n',
      /^The database in \S+\/postgres was made by an earlier Steady, .+npm run backup.+npm run restore.+\n$/,
    ],
    [
      'of another PostgreSQL',
      'postgresql',
      '17\n',
      /^The database in \S+ was made by PostgreSQL 17, .+npm run backup.+npm run restore.+\n$/,
    ],
    [
      'that is damaged',
      'postgresql',
      'x\n',
      /^The database in \S+ cannot be opened: its PG_VERSION is damaged\. .+\n$/,
    ],
  ])('refuses files %s in one line, and leaves them as they are', async (_what, name, version, line) => {
    const DATA_DIR = temporaryFolder();
    mkdirSync(path.join(DATA_DIR, name), { recursive: true });
    writeFileSync(path.join(DATA_DIR, 'steady.json'), '{"format":1}\n');
    writeFileSync(path.join(DATA_DIR, name, 'PG_VERSION'), version);
    const before = contentsOf(DATA_DIR);
    const service = startService({ DATA_DIR });
    expect(await service.exited).toBe(1);
    expect(service.output).toMatch(line);
    expect(contentsOf(DATA_DIR)).toEqual(before);
  });

  it("refuses a directory that is not Steady's and leaves it as it is", async () => {
    const DATA_DIR = temporaryFolder();
    mkdirSync(DATA_DIR);
    writeFileSync(path.join(DATA_DIR, 'thesis.txt'), 'precious');
    const service = startService({ DATA_DIR });
    expect(await service.exited).toBe(1);
    expect(service.output).toMatch(/^DATA_DIR \S+ holds something that is not Steady's\. .+\n$/);
    expect(readdirSync(DATA_DIR)).toEqual(['thesis.txt']);
  });
});
