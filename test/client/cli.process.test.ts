import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ownDatabase } from '../support/database.js';
import { faultyWayTo } from '../support/faulty-way.js';
import { systemNodes } from '../support/nodes.js';
import { temporaryFolder } from '../support/process.js';
import { type WorldOptions, world } from '../support/world.js';

const CLI = path.resolve('packages/client/dist/cli.js');

/** Somebody with habits, at a terminal: the command has the clock of the machine. */
async function terminal(node = process.execPath, given?: WorldOptions) {
  const { base, clock, newUser } = await world(given);
  clock.set(new Date().toISOString());
  const ana = await newUser();
  const make = 'mutation ($input: CreateTaskInput!) { createTask(input: $input) { task { id } } }';
  const makes = (input: object) => ana.query(make, { input });
  await makes({ title: 'Swim' });
  await makes({ title: 'Water', target: { amount: 8, unit: 'glasses' } });
  const way = await faultyWayTo(base);
  const home = temporaryFolder();
  mkdirSync(home);
  const env = { PATH: process.env.PATH, STEADY_HOME: path.join(home, 'steady') };
  const runs = (args: readonly string[], input = '', more: object = {}) =>
    new Promise<{ code: unknown; out: string; err: string }>((resolve) => {
      const options = { env: { ...env, ...more }, cwd: home };
      const child = execFile(node, [CLI, ...args], options, (error, out, err) =>
        resolve({ code: error ? error.code : 0, out, err }),
      );
      child.stdin?.end(input);
    });
  const steady = (...args: string[]) => runs(args, '', { STEADY_PASSWORD: ana.account.password });
  const logIn = (email = ana.account.email, url = way.base) =>
    steady('login', '--url', url, '--email', email);
  return { ana, newUser, makes, way, home, env, runs, steady, logIn };
}

const failing = (code: number, message: string) =>
  expect.objectContaining({ code, err: expect.stringContaining(message) });

describe.each(systemNodes())('The command line, on Node %s', (_version, node) => {
  it('does a day: log in, look, do, take back, skip', async () => {
    const { ana, env, logIn, steady } = await terminal(node);
    expect(await logIn()).toEqual({ code: 0, out: 'Welcome, Ana.\n', err: '' });
    expect(statSync(path.join(env.STEADY_HOME, 'session.json')).mode & 0o777).toBe(0o600);
    expect(statSync(env.STEADY_HOME).mode & 0o777).toBe(0o700);
    expect((await steady('today')).out).toMatch(/^\d{4}-\d\d-\d\d\n○ Swim\n○ Water {2}\(0 of 8 glasses\)\n$/);
    expect(await steady('done', 'swim')).toMatchObject({ code: 0, out: 'Swim: done.\n' });
    expect(await steady('done', 'swim')).toMatchObject({ code: 0 }); // as it may have been elsewhere: it is done once
    expect(await steady('done', 'Wat', '--amount', '3', '--note', 'cold')).toMatchObject({ code: 0 });
    expect((await steady('today')).out).toContain('✓ Swim  (1 day)\n◐ Water  (3 of 8 glasses)');
    expect(await steady('undo')).toMatchObject({ code: 0, out: 'Water: taken back.\n' });
    expect(await steady('undo')).toMatchObject({ code: 1, err: 'There is nothing to take back\n' });
    expect((await steady('skip', 'Water')).out).toContain('Water: skipped on');
    expect((await steady('stats')).out).toMatch(
      /^10 points, a streak of 1 day \(longest 1\)\nSwim: 1 of 1, 100 %, 1 day\n/,
    );
    const { completions } = await ana.query('{ completions { nodes { task { title } } } }');
    expect(completions.nodes).toEqual([{ task: { title: 'Swim' } }]);
  });

  it('keeps what was done without a network, ends with 3, and sends it with the next command', async () => {
    const { ana, logIn, steady, way } = await terminal(node);
    await logIn();
    way.cut();
    const out = 'Swim: waits, and is sent by the next command.\n';
    expect(await steady('done', 'Swim')).toMatchObject({ code: 3, out });
    const told = await steady('today');
    expect([told.code, told.out]).toEqual([3, expect.stringContaining('✓ Swim  (1 day, 1 waiting)')]);
    expect(await steady('stats')).toEqual(failing(3, 'cannot be reached'));
    expect(await ana.profile()).toMatchObject({ points: 0 });
    way.mend();
    expect(await steady('today')).toMatchObject({ code: 0 });
    expect(await ana.profile()).toMatchObject({ points: 10 });
    way.cut();
    expect(await steady('undo')).toMatchObject({ code: 3 });
    way.mend();
    expect(await steady('stats')).toMatchObject({ code: 0 });
    expect(await ana.profile()).toMatchObject({ points: 0 });
  });

  it('writes an export as a whole, or nothing', async () => {
    const { home, logIn, steady, way } = await terminal(node);
    await logIn();
    expect(await steady('export', 'habits.json')).toMatchObject({ code: 0 });
    const text = readFileSync(path.join(home, 'habits.json'), 'utf8');
    expect(JSON.parse(text).tasks).toHaveLength(2);
    way.cut();
    expect(await steady('export', 'habits.json')).toMatchObject({ code: 3 });
    expect(readFileSync(path.join(home, 'habits.json'), 'utf8')).toBe(text);
    way.mend();
    expect(await steady('export', 'no/such/folder')).toEqual(failing(1, 'ENOENT'));
  });

  it('takes a password that is piped in, and ends with 2 where there is none', async () => {
    const { ana, runs, way } = await terminal(node);
    const logIn = ['login', '--url', way.base, '--email', ana.account.email];
    expect(await runs(logIn)).toEqual(failing(2, 'There is no password'));
    for (const end of ['', '\n'])
      expect(await runs(logIn, ana.account.password + end)).toMatchObject({ code: 0 });
  });
});

describe('The command line', () => {
  it('ends with 2 where it cannot be understood', async () => {
    const { steady } = await terminal();
    for (const [args, message] of [
      [['fly'], 'There is no command fly'],
      [[], 'Which command?'],
      [['done', 'Swim', 'Water'], 'That is one word too many: Water'],
      [['done', 'Swim', '--amount', 'much'], 'An amount is a number'],
      [['today', '--amount', '1'], 'today takes no --amount'],
      [['done', '--colour'], "Unknown option '--colour'"],
      [['done', 'Swim', '--amount', 'Infinity'], 'An amount is a number'],
      [['login'], 'Where is the service?'],
      [['login', '--url', 'habits.example.com'], 'That is no address of a service'],
      [['login', '--url', 'file:///etc', '--token', 'x'], 'That is no address of a service'],
      [['today'], 'Log in first'],
    ] as const)
      expect(await steady(...args)).toEqual(failing(2, message));
  });

  it('ends with 1 where it is refused, and keeps no refused tap', async () => {
    const { makes, logIn, steady, way } = await terminal();
    const wrong = await steady('login', '--url', way.base, '--token', 'none of ours');
    expect(wrong).toEqual(failing(1, 'User not authenticated'));
    await logIn();
    expect(await steady('done', 'Swim', '--amount', '0')).toMatchObject({ code: 1 });
    const { habits } = JSON.parse((await steady('today', '--json')).out);
    expect(habits[0]).toMatchObject({ waiting: 0, count: 0 });
    for (const title of ['Swim', 'Swimming']) await makes({ title });
    expect(await steady('done', 'Swim')).toEqual(failing(1, 'fits several'));
  });

  it('takes nothing back that somebody else has done, or that was done at another service', async () => {
    const { ana, newUser, logIn, steady, way } = await terminal();
    const bea = await newUser();
    await logIn();
    await steady('done', 'Swim');
    for (const [email, base] of [
      [bea.account.email, way.base],
      [ana.account.email, (await faultyWayTo(way.base)).base],
    ] as const) {
      await logIn(email, base);
      expect(await steady('undo')).toEqual(failing(1, 'There is nothing to take back'));
    }
    await logIn(ana.account.email, `${way.base}/`);
    expect(await steady('undo')).toMatchObject({ code: 0, out: 'Swim: taken back.\n' });
    expect(await ana.profile()).toMatchObject({ points: 0 });
  });

  it('adds a step without an amount, to a target of a day at most what is left', async () => {
    const { makes, logIn, steady, way } = await terminal();
    const target = { amount: 1, unit: 'l', kind: 'AT_LEAST', per: 'DAY' };
    for (const input of [
      { title: 'Juice', target, step: 0.6 },
      { title: 'Run', target: { ...target, per: 'WEEK' }, step: 5 },
      { title: 'Coffee', target: { ...target, kind: 'AT_MOST' }, step: 2 },
      { title: 'Read', step: 3 },
    ])
      await makes(input);
    await logIn();
    const added = async (title: string) => JSON.parse((await steady('done', title, '--json')).out).amount;
    expect(await added('Juice')).toBe(0.6);
    await steady('today');
    way.cut();
    expect(await added('Juice')).toBe(0.4);
    expect(await added('Juice')).toBe(0.6);
    way.mend();
    expect(await added('Run')).toBe(5);
    expect(await added('Coffee')).toBe(2);
    for (const title of ['Read', 'Water']) expect(await added(title)).toBeNull();
  });
});

it('A fault of the service ends with 1 where nothing waits, and with 3 where what was done does', async () => {
  const database = await ownDatabase();
  const { logIn, steady } = await terminal(undefined, { database });
  const asked = async (...args: string[]) => {
    const { code, out, err } = await steady(...args, '--json');
    return { code, ...JSON.parse(out || err) };
  };
  await logIn();
  await sql`alter table tasks rename to gone`.execute(database.query());
  const broken = { code: 1, error: { reason: 'INTERNAL' } };
  expect(await asked('stats')).toMatchObject(broken);
  expect(await asked('export', 'habits.json')).toMatchObject(broken);
  expect(await asked('today')).toMatchObject({ code: 1, isStale: true, staleReason: 'INTERNAL' });
  expect((await steady('today')).out).toContain('The service does not say it now');
  await sql`alter table gone rename to tasks`.execute(database.query());
  await sql`alter table task_completions rename to gone`.execute(database.query());
  expect(await asked('done', 'Swim')).toMatchObject({ code: 3, state: 'waiting' });
  expect(await asked('undo')).toMatchObject({ code: 3, state: 'waiting' });
});

it('The command `watch` tells each event on a line, until it is interrupted', async () => {
  const { ana, env, logIn } = await terminal();
  await ana.query('mutation { updateProfile(input: { eventFeed: true }) { user { id } } }');
  for (const title of ['Read', 'Run']) await ana.hasTask({ title });
  await logIn();
  const watching = spawn(process.execPath, [CLI, 'watch', '--after', '1', '--json'], { env });
  onTestFinished(() => void watching.kill('SIGKILL'));
  const told = createInterface(watching.stdout)[Symbol.asyncIterator]();
  const number = async () => JSON.parse(String((await told.next()).value)).number;
  expect(await number()).toBe(2);
  await ana.hasTask();
  expect(await number()).toBe(3);
  watching.kill('SIGINT');
  expect(await once(watching, 'close')).toEqual([0, null]);
});
