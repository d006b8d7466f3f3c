import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
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
    // In a closed home, where the account of the server may not enter, its libraries lie here as well.
    const made = readdirSync(DATA_DIR).filter((name) => name !== 'libraries');
    expect(made.sort()).toEqual(['jwt-secret', 'lock', 'postgresql', 'postgresql-password', 'steady.json']);
    expect(first.output).toContain(`Making a new database in ${DATA_DIR}: this takes some seconds`);
    const folder = path.join(DATA_DIR, 'postgresql');
    const state = readFileSync(path.join(folder, 'postmaster.pid'), 'utf8').split('\n');
    expect(state[5]).toBe(''); // no port
    expect(readdirSync(folder)).toContain('.s.PGSQL.5432');
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
    const users = run('operation/commands/users.js', { DATA_DIR }, ['list']);
    expect([await users.exited, users.output]).toEqual([0, expect.stringContaining('ana@example.com')]);
  });

  it('ends with its service, however that dies, is found by the next start, and started again when it is killed', async () => {
    const DATA_DIR = dataDirectory();
    const first = startService({ DATA_DIR });
    const { token = '' } = await signUp(await first.listening());
    const postgres = postgresOf(DATA_DIR);
    await first.stop('SIGKILL');
    const service = startService({ DATA_DIR }); // at once
    const user = (await service.listening()).as(token);
    expect((await user.get('/api/user/profile')).status).toBe(200);
    expect(isAlive(postgres)).toBe(false);
    process.kill(postgresOf(DATA_DIR), 'SIGKILL');
    await eventually(() => service.output.includes('The embedded database is back'));
    expect(service.output).toContain('The embedded database has ended (SIGKILL): it is started again');
    await eventually(async () => (await user.post('/api/tasks', { title: 'Swim' })).status === 201);
    expect(await service.stop()).toBe(0);
  });
});
