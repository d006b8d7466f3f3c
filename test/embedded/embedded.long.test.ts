import { existsSync, globSync, readdirSync, rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isAlive, postgresOf, signUp } from '../support/embedded.js';
import { eventually } from '../support/eventually.js';
import { dataDirectory, run, seed, startService, temporaryFolder } from '../support/process.js';
import { SmallDisk } from '../support/small-disk.js';
import { needs } from '../support/tools.js';
import { type RestClient } from '../support/world.js';

/** The ids of all completions. */
async function completionsOf(user: RestClient): Promise<number[]> {
  const ids: number[] = [];
  for (let after: string | null = null; ; ) {
    const query = `query ($after: String) {
      completions(first: 100, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }`;
    const { data } = await user.ask(query, { after });
    const { nodes, pageInfo } = data.completions;
    ids.push(...nodes.map(({ id }: { id: string }) => Number(id)));
    if (!pageInfo.hasNextPage) return ids;
    after = pageInfo.endCursor;
  }
}

const KILLS = Number(process.env.KILLS ?? 6);
/** What others have recorded before, in thousands: with 1000 the kills come upon a million completions. */
const THOUSANDS = Number(process.env.THOUSANDS ?? 1);

it('The embedded database loses no acknowledged write when service, database or both are killed while writing', async () => {
  const DATA_DIR = dataDirectory();
  const seeded = [`--users=${THOUSANDS}`, '--tasks=10', '--completions=1000'];
  expect(await seed({ DATA_DIR }, seeded).exited).toBe(0);
  let service = startService({ DATA_DIR });
  let user = await signUp(await service.listening());
  const token = user.token ?? '';
  const task = (await user.post('/api/tasks', { title: 'Swim' })).body;
  const acknowledged = new Set<number>();
  const killing = [
    () => service.child.kill('SIGKILL'),
    () => process.kill(postgresOf(DATA_DIR), 'SIGKILL'),
    () => process.kill(postgresOf(DATA_DIR), 'SIGKILL') && service.child.kill('SIGKILL'),
  ];
  for (let round = 0; round < KILLS; round += 1) {
    const enough = acknowledged.size + 10 + round; // so that the kill does not come at the same point each time
    const until = acknowledged.size + 2 * (10 + round);
    const write = async () => {
      while (acknowledged.size < until) {
        const { status, body } = await user.post('/api/task-completions', { task_id: task.id });
        if (status !== 201) continue;
        acknowledged.add(body.id);
        if (acknowledged.size === enough) killing[round % killing.length]?.();
      }
    };
    await Promise.allSettled([write(), write(), write(), write()]);
    if (round % killing.length === 1) continue; // the service is there, and has gone on
    await service.exited;
    service = startService({ DATA_DIR });
    user = (await service.listening()).as(token);
  }
  const recorded = await completionsOf(user);
  expect(recorded).toEqual(expect.arrayContaining([...acknowledged]));
  expect((await user.get('/api/tasks/me')).body[0].completion_count).toBe(recorded.length);
  expect((await user.get('/api/user/profile')).body.points).toBe(10 * recorded.length);
  expect(await service.stop()).toBe(0);
  const verified = run('operation/commands/streaks-verify.js', { DATA_DIR });
  expect(await verified.exited, verified.output).toBe(0);
});

it('The embedded database is made anew when the process was killed while making it', async () => {
  const DATA_DIR = temporaryFolder();
  const killed = run('operation/commands/migrate.js', { DATA_DIR });
  const isBegun = () =>
    existsSync(DATA_DIR) && globSync('postgresql.new-*/base', { cwd: DATA_DIR }).length > 0;
  await eventually(isBegun);
  await killed.stop('SIGKILL');
  expect(readdirSync(DATA_DIR)).not.toContain('postgresql');
  expect(await run('operation/commands/migrate.js', { DATA_DIR }).exited).toBe(0);
  expect(readdirSync(DATA_DIR).filter((name) => /^postgresql($|\.)/.test(name))).toEqual(['postgresql']);
});

it('Workers share the embedded database, which stays while they are replaced', async () => {
  const DATA_DIR = dataDirectory();
  const service = startService({ DATA_DIR, WORKERS: '2' });
  const user = await signUp(await service.listening());
  const postgres = postgresOf(DATA_DIR);
  service.child.kill('SIGHUP');
  await eventually(() => service.output.includes('All workers have been replaced'));
  expect((await user.get('/api/user/profile')).status).toBe(200);
  expect(postgresOf(DATA_DIR)).toBe(postgres);
  expect(await service.stop()).toBe(0);
  expect(isAlive(postgres)).toBe(false);
});

describe('On a full disk, the service', needs('leave to mount a disk'), () => {
  it('goes on reading or comes back by itself, and loses nothing that it has acknowledged', async () => {
    const disk = await SmallDisk.make(300);
    disk.prepare();
    const service = disk.startService();
    const user = await signUp(await service.listening());
    const task = (await user.post('/api/tasks', { title: 'Swim' })).body;
    let done = 0;
    const complete = async () => {
      const { status } = await user.post('/api/task-completions', { task_id: task.id });
      if (status === 201) done += 1;
      else expect(status).toBe(503);
      return status;
    };
    await complete();
    disk.fill();
    await eventually(async () => (await complete()) === 503);
    disk.empty();
    await eventually(async () => (await complete()) === 201);
    expect(await completionsOf(user)).toHaveLength(done);
    expect(await service.stop()).toBe(0);
    const told = service.output.match(/"msg":"The database has .+/g) ?? [];
    expect(told[0]).toMatch(/no room for what is written, and only reads go on: .*No space left on device/);
    expect(told[1]).toMatch(/has room again/);
    expect(service.output).toContain('"outcome":"DATABASE_FULL"');
  });

  it('answers every read, though PostgreSQL can begin no session', async () => {
    const disk = await SmallDisk.make(300);
    disk.prepare();
    const service = disk.startService();
    const rest = await service.listening();
    const user = await signUp(rest);
    const others: RestClient[] = [];
    for (let count = 0; count < 7; count += 1) others.push(await signUp(rest, `${count}@example.com`));
    const made = globSync(disk.file('data/postgresql/**/pg_internal.init'));
    expect(made.length).toBeGreaterThan(0);
    for (const file of made) rmSync(file); // as PostgreSQL does now and then
    disk.fill();
    const read = await Promise.all([user, ...others].map((each) => each.get('/account/export')));
    expect(read.map(({ status }) => status)).toEqual(read.map(() => 200));
    const health = async () => (await rest.get('/health/ready')).body;
    expect(await health()).toMatchObject({ status: 'ready', writes: 'no room' });
    expect(service.output).not.toContain('has room again');
    disk.empty();
    await eventually(async () => !('writes' in (await health()))); // without a write
    expect((await user.post('/api/tasks', { title: 'Run' })).status).toBe(201);
    expect((await rest.get('/health/ready')).body).not.toHaveProperty('writes');
  });
});
