import { writeFileSync } from 'node:fs';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { childrenOf, stateOf } from '../support/children.js';
import { withLimits } from '../support/commands.js';
import { crowd, crowdUser } from '../support/crowd.js';
import { eventually } from '../support/eventually.js';
import { type ServiceProcess, startService, temporaryFolder } from '../support/process.js';
import { withServer } from '../support/with-server.js';
import type { RestClient } from '../support/world.js';

const JWT_SECRET = 'a secret of several workers, of more than 32 characters';

const server = withServer();

/** None of them stays when the test is over, stopped or not. */
function workersOf(service: ServiceProcess): () => number[] {
  const seen = new Set<number>();
  onTestFinished(() => {
    for (const pid of seen) if (stateOf(pid) !== '') signal(pid, 'SIGKILL');
  });
  return () => {
    const pids = childrenOf(service.child);
    for (const pid of pids) seen.add(pid);
    return pids;
  };
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {} // gone
}

const isGone = (pid: number) => /^(Z|$)/.test(stateOf(pid));

async function started(count: number, settings: Record<string, string | undefined> = {}) {
  const service = startService({
    ...{ DATABASE_URL: await server.newDatabase(), DATA_DIR: temporaryFolder(), JWT_SECRET },
    ...{ WORKERS: `${count}`, REQUEST_TIMEOUT: '60000', ...settings },
  });
  const workers = workersOf(service);
  const rest = await service.listening();
  return { service, rest, workers };
}

const CLOSE = { connection: 'close' };

/** On a connection of its own: whoever accepts that answers. */
const ready = async (rest: RestClient) => (await rest.get('/health/ready', CLOSE)).status === 200;

const users = (rest: RestClient) => Promise.all(Array.from({ length: 5 }, () => crowdUser(rest)));

/** The lines of the log with this message. */
const linesOf = ({ output }: ServiceProcess, message: string) =>
  output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { msg: string; worker?: number; level: number })
    .filter(({ msg }) => msg.startsWith(message));

describe('Several workers', () => {
  it('bring an empty database up to date, answer on one port, and leave the streaks to one of them, then to another', async () => {
    const DATABASE_URL = await server.newDatabase('template template0');
    const { service, rest, workers } = await started(3, { DATABASE_URL });
    const lines = linesOf(service, 'Steady runs on PostgreSQL at ');
    expect(lines).toMatchObject([{ msg: expect.stringContaining(' with 3 workers: API ') }]);
    expect(lines[0]?.worker).toBeUndefined();
    const runs = () => linesOf(service, 'Streaks are up to date').map(({ worker }) => worker);
    expect(runs()).toEqual([1]);
    const [leader = 0, ...others] = workers();
    expect(others).toHaveLength(2);
    signal(leader, 'SIGKILL');
    await eventually(() => runs().length === 2);
    expect([2, 3]).toContain(runs()[1]);
    expect(await ready(rest)).toBe(true);
    await eventually(() => workers().find((pid) => pid !== leader && !others.includes(pid)));
    expect(await ready(rest)).toBe(true);
    expect(runs()).toHaveLength(2);
    expect(linesOf(service, 'A worker ended with SIGKILL').map(({ worker }) => worker)).toEqual([1]);
  });

  it('have one secret, whatever becomes of its file, which the first start makes', async () => {
    const file = `${temporaryFolder()}.secret`;
    const settings = { JWT_SECRET: undefined, JWT_SECRET_FILE: file };
    const { service, rest, workers } = await started(2, settings);
    const { token } = await crowdUser(rest);
    writeFileSync(file, 'another secret, of more than 32 characters');
    const old = workers();
    service.child.kill('SIGHUP');
    await eventually(() => linesOf(service, 'All workers have been replaced').length === 1);
    expect(workers().filter((pid) => old.includes(pid))).toEqual([]);
    expect((await rest.as(token).get('/api/user/profile', CLOSE)).status).toBe(200);
    expect(await service.stop()).toBe(0);
  });
});

describe('At the end, several workers', () => {
  it('reset nobody under load on the connections that they have, and end with 0 when told to stop', async () => {
    const { service, rest, workers } = await started(2);
    const everybody = await users(rest);
    const clients = crowd(rest, everybody, { perSecond: 100 });
    await eventually(() => clients.count() > 100);
    const pids = workers();
    const exited = service.stop();
    await eventually(() => pids.every(isGone));
    expect(await clients.stop()).toMatchObject({ completed: expect.toSatisfy(Boolean), unavailable: 0 });
    expect(await exited).toBe(0);
  });

  it('end with 1 and a line if all of them die at once', async () => {
    const { service, workers } = await started(2);
    service.child.kill('SIGSTOP');
    for (const pid of workers()) signal(pid, 'SIGKILL');
    service.child.kill('SIGCONT');
    expect(await service.exited).toBe(1);
    expect(service.output).toContain('\nNo worker is left: the last one ended with SIGKILL.\n');
  });

  it('end with 1 and a line if one of them hangs', async () => {
    const { service, workers } = await started(2);
    const [hanging = 0] = workers();
    signal(hanging, 'SIGSTOP');
    await eventually(() => stateOf(hanging).startsWith('T'));
    expect(await service.stop()).toBe(1);
    await eventually(() => isGone(hanging));
    expect(service.output).toContain('\nNot everything was answered within 10 seconds\n');
  });
});

describe('At SIGHUP, several workers', () => {
  it('are replaced one after the other under load, and no request fails', async () => {
    const { service, rest, workers } = await started(2);
    const everybody = await users(rest);
    const crowds = [true, false].map((keepAlive) => crowd(rest, everybody, { perSecond: 75, keepAlive }));
    await eventually(() => crowds.every(({ count }) => count() > 50));
    const before = workers();
    for (const pid of before) signal(pid, 'SIGHUP'); // as a terminal that closes does
    service.child.kill('SIGHUP');
    await eventually(() => linesOf(service, 'All workers have been replaced').length === 1);
    const counts = crowds.map(({ count }) => count());
    await eventually(() => crowds.every(({ count }, index) => count() > (counts[index] ?? 0) + 50));
    const counted = await Promise.all(crowds.map(({ stop }) => stop()));
    for (const { unavailable, refused } of counted) expect([unavailable, refused]).toEqual([0, 0]);
    const after = workers();
    expect(after).toHaveLength(2);
    expect(after.filter((pid) => before.includes(pid))).toEqual([]);
    expect(linesOf(service, 'Streaks are up to date').map(({ worker }) => worker)).toEqual([1, 3]);
    expect(await service.stop()).toBe(0);
  });

  it('stay if a new one does not start', async () => {
    const url = await server.newDatabase();
    const settings = { DATABASE_URL: url, ...withLimits({ databaseStartTimeout: 0 }) };
    const { service, rest, workers } = await started(2, settings);
    const before = workers();
    const name = new URL(url).pathname.slice(1);
    await server.execute(`alter database ${name} allow_connections false`);
    service.child.kill('SIGHUP');
    await eventually(() => linesOf(service, 'A worker is not replaced').length === 1);
    expect(workers()).toEqual(before);
    await server.execute(`alter database ${name} allow_connections true`);
    await eventually(() => ready(rest));
    expect(await service.stop()).toBe(0);
  });

  it('or at SIGTERM to one of them, that one is replaced', async () => {
    const { service, rest, workers } = await started(2);
    const [first = 0, second = 0] = workers();
    signal(first, 'SIGTERM');
    await eventually(() => isGone(first));
    const after = workers();
    expect(after).toHaveLength(2);
    expect(after).toContain(second);
    expect(await ready(rest)).toBe(true);
    expect(service.output).not.toMatch(/"level":[56]0/);
  });
});

describe('When the primary is killed, several workers', () => {
  it('answer what is under way and end, and the port is free', async () => {
    const url = await server.newDatabase();
    const { service, rest, workers } = await started(2, { DATABASE_URL: url });
    const { token, taskId } = await crowdUser(rest);
    const holder = new pg.Client(url);
    await holder.connect();
    onTestFinished(() => holder.end());
    await holder.query('begin; select from user_progress for update');
    const completing = rest.as(token).post('/api/task-completions', { task_id: taskId });
    await eventually(
      async () => (await holder.query('select from pg_locks where not granted')).rows.length > 0,
    );
    const pids = workers();
    service.child.kill('SIGKILL');
    await eventually(() => linesOf(service, 'Stopping').length === 2);
    await holder.query('commit');
    expect((await completing).status).toBe(201);
    await eventually(() => pids.every(isGone));
    await expect(rest.get('/health/live')).rejects.toThrow('ECONNREFUSED');
  });
});
