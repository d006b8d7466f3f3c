import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../src/config.js';
import { openDatabase } from '../../src/startup/instance.js';
import { eventually } from '../support/eventually.js';
import { startPgBouncer } from '../support/pgbouncer.js';
import { type Addresses, type Pooled, startPooled } from '../support/pooled.js';
import { launch, run, type ServiceProcess } from '../support/process.js';
import { startProxy } from '../support/proxy.js';
import { needs } from '../support/tools.js';
import { type RestClient, SECRET, TestUser } from '../support/world.js';

const ELSEWHERE = 'DATABASE_DIRECT_URL and DATABASE_URL lead to different databases';

// As after a takeover that only the pooler was told of: the old server is still there, past the pooler.
describe('A pooler that is led to another database', needs('PgBouncer'), () => {
  let pooled: Pooled;
  let addresses: Addresses;
  const processes: ServiceProcess[] = [];
  const folder = mkdtempSync(path.join(tmpdir(), 'steady-test-'));
  let here: RestClient;
  let there: RestClient;
  const nameIn = (url: string) => new URL(url).pathname.slice(1);
  const lead = (to: string) => pooled.pooler.lead(nameIn(addresses.DATABASE_URL), to);
  let taken: string;

  beforeAll(async () => {
    pooled = await startPooled();
    const ready = await pooled.newDatabase();
    await (await openDatabase(readConfig(ready))).close();
    taken = nameIn(ready.DATABASE_URL);
    await pooled.pooler.console(`kill ${taken}`);
    await pooled.pooler.console(`resume ${taken}`);
    addresses = await pooled.newDatabase(taken);
    const start = (name: string) => {
      const settings = { ...addresses, DATA_DIR: path.join(folder, name), JWT_SECRET: SECRET, WORKERS: '1' };
      const process = launch('dist/src/main.js', settings);
      processes.push(process);
      return process.listening();
    };
    [here, there] = await Promise.all([start('here'), start('there')]);
  });
  afterAll(async () => {
    for (const { child } of processes) child.kill('SIGKILL');
    await pooled?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const someone = async (name: string) => {
    const account = { name, email: `${name}@example.com`, password: 'secret1' };
    const { token, user } = (await here.post('/api/auth/signup', account)).body;
    return new TestUser(here.base, token, { ...user, ...account });
  };
  const isOutThere = async ({ token }: TestUser) =>
    (await there.as(token).get('/api/tasks/me')).status === 401;
  const signsOut = async (user: TestUser) => {
    expect(await isOutThere(user)).toBe(false);
    await user.query('mutation { signOutEverywhere { token } }');
    await eventually(() => isOutThere(user));
  };
  const told = (line: string) => eventually(() => processes.every(({ output }) => output.includes(line)));

  it('is noticed by all, and what is signed out there is signed out everywhere', async () => {
    await lead(taken);
    await told(`are not heard (${ELSEWHERE}`);
    await signsOut(await someone('ana'));
  });

  it('is noticed by commands, backups and the streak job, which do nothing then', async () => {
    const commands = { backup: ['--to', '-'], 'streaks-verify': ['--fix'], users: ['list'] };
    for (const [name, args] of Object.entries(commands)) {
      const command = run(`commands/${name}.js`, addresses, args);
      const status = await command.exited;
      expect([name, status, command.output]).toEqual([name, 1, expect.stringContaining(ELSEWHERE)]);
    }
  });

  it('is noticed to be led back', async () => {
    await lead(nameIn(addresses.DATABASE_URL));
    await told('are heard again');
    await signsOut(await someone('ben'));
    const database = await openDatabase(readConfig(addresses));
    const works = () => database.withLock(4711, async () => 'worked');
    expect(await works()).toBe('worked');
    await lead(taken);
    await expect(works()).rejects.toThrow(ELSEWHERE);
    await database.close();
  });

  it('is found among several of one address, though connections to the others stay', async () => {
    await lead(nameIn(addresses.DATABASE_URL));
    const other = await startPgBouncer(pooled.server.url('postgres'));
    onTestFinished(() => other.stop());
    await other.lead(nameIn(addresses.DATABASE_URL), taken);
    const portOf = (url: string) => Number(new URL(url).port);
    const address = await startProxy(portOf(addresses.DATABASE_URL));
    onTestFinished(() => address.stop());
    const lines: string[] = [];
    const onListening = (line: string) => void lines.push(line);
    const DATABASE_URL = address.through(addresses.DATABASE_URL);
    const database = await openDatabase(readConfig({ ...addresses, DATABASE_URL }), { onListening });
    onTestFinished(() => database.close());
    await database.announcements.open();
    address.moveTo(portOf(other.through(addresses.DATABASE_URL)));
    await eventually(() => lines.some((line) => line.includes(ELSEWHERE)));
  });
});
