import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ownDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { faultyWayTo } from '../support/faulty-way.js';
import { systemNodes } from '../support/nodes.js';
import { type WorldOptions, world } from '../support/world.js';

const CLI = path.resolve('packages/client/dist/cli.js');

/** Somebody with habits, at a terminal: the command has the clock of the machine. */
async function terminal(node = process.execPath, given?: WorldOptions) {
  const { base, clock, newUser } = await world(given);
  clock.set(new Date().toISOString());
  const ana = await newUser();
  await ana.query('mutation { createTask(input: { title: "Swim" }) { task { id } } }');
  await ana.query(
    'mutation { createTask(input: { title: "Water", target: { amount: 8, unit: "glasses" } }) { task { id } } }',
  );
  const way = await faultyWayTo(base);
  const home = mkdtempSync(path.join(tmpdir(), 'steady-home-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const env = {
    PATH: process.env.PATH,
    STEADY_HOME: path.join(home, 'steady'),
    STEADY_PASSWORD: ana.account.password,
  };
  const steady = (...args: string[]) =>
    new Promise<{ code: unknown; out: string; err: string }>((resolve) => {
      const child = execFile(node, [CLI, ...args], { env, cwd: home }, (error, out, err) =>
        resolve({ code: error ? error.code : 0, out, err }),
      );
      child.stdin?.end();
    });
  const logIn = () => steady('login', '--url', way.base, '--email', ana.account.email);
  return { ana, newUser, way, home, env, steady, logIn };
}

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
    expect(await steady('skip', 'Water')).toMatchObject({
      code: 0,
      out: expect.stringContaining('Water: skipped on'),
    });
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
    expect(await steady('done', 'Swim')).toMatchObject({
      ...{ code: 3, out: 'Swim: waits, and is sent by the next command.\n' },
    });
    const told = await steady('today');
    expect([told.code, told.out]).toEqual([3, expect.stringContaining('✓ Swim  (1 day, 1 waiting)')]);
    expect(await steady('stats')).toMatchObject({
      code: 3,
      out: '',
      err: expect.stringContaining('cannot be reached'),
    });
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
    expect(await steady('export', 'no/such/folder')).toMatchObject({
      code: 1,
      err: expect.stringContaining('ENOENT'),
    });
  });

  it('takes a password that is piped in, and ends with 2 where there is none', async () => {
    const { ana, env, way, home } = await terminal(node);
    const logIn = ['login', '--url', way.base, '--email', ana.account.email];
    const typed = (input: string) => {
      const { STEADY_PASSWORD: _, ...rest } = env;
      return new Promise<{ code: unknown; err: string }>((resolve) => {
        const child = execFile(node, [CLI, ...logIn], { env: rest, cwd: home }, (error, _out, err) =>
          resolve({ code: error ? error.code : 0, err }),
        );
        child.stdin?.end(input);
      });
    };
    expect(await typed('')).toMatchObject({ code: 2, err: expect.stringContaining('There is no password') });
    for (const end of ['', '\n']) expect(await typed(ana.account.password + end)).toMatchObject({ code: 0 });
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
      expect(await steady(...args), message).toMatchObject({
        code: 2,
        out: '',
        err: expect.stringContaining(message),
      });
  });

  it('ends with 1 where it is refused, and keeps no refused tap', async () => {
    const { ana, logIn, steady, way } = await terminal();
    expect(await steady('login', '--url', way.base, '--token', 'none of ours')).toMatchObject({
      ...{ code: 1, err: expect.stringContaining('User not authenticated') },
    });
    await logIn();
    expect(await steady('done', 'Swim', '--amount', '0')).toMatchObject({ code: 1 });
    expect(JSON.parse((await steady('today', '--json')).out).habits[0]).toMatchObject({
      waiting: 0,
      count: 0,
    });
    for (const title of ['Swim', 'Swimming'])
      await ana.query(`mutation { createTask(input: { title: "${title}" }) { task { id } } }`);
    expect(await steady('done', 'Swim')).toMatchObject({
      code: 1,
      err: expect.stringContaining('fits several'),
    });
  });

  it('takes nothing back that somebody else has done, or that was done at another service', async () => {
    const { ana, newUser, logIn, steady, way } = await terminal();
    const nothing = { code: 1, err: 'There is nothing to take back\n' };
    const bea = await newUser();
    const logInAs = (email: string, base = way.base) => steady('login', '--url', base, '--email', email);
    await logIn();
    await steady('done', 'Swim');
    await logInAs(bea.account.email);
    expect(await steady('undo')).toMatchObject(nothing);
    const elsewhere = await faultyWayTo(way.base);
    await logInAs(ana.account.email, elsewhere.base);
    expect(await steady('undo')).toMatchObject(nothing);
    expect(await ana.profile()).toMatchObject({ points: 10 });
    await logInAs(ana.account.email, `${way.base}/`);
    expect(await steady('undo')).toMatchObject({ code: 0, out: 'Swim: taken back.\n' });
    expect(await ana.profile()).toMatchObject({ points: 0 });
  });

  it('adds a step without an amount, to a target of a day at most what is left', async () => {
    const { ana, logIn, steady, way } = await terminal();
    const make = 'mutation ($input: CreateTaskInput!) { createTask(input: $input) { task { id } } }';
    const target = { amount: 1, unit: 'l', kind: 'AT_LEAST', per: 'DAY' };
    for (const input of [
      { title: 'Juice', target, step: 0.6 },
      { title: 'Run', target: { ...target, per: 'WEEK' }, step: 5 },
      { title: 'Coffee', target: { ...target, kind: 'AT_MOST' }, step: 2 },
      { title: 'Read', step: 3 },
    ])
      await ana.query(make, { input });
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

describe('The command `watch`', () => {
  it('tells each event on a line, until it is interrupted', async () => {
    const { ana, env, logIn } = await terminal();
    await ana.query('mutation { updateProfile(input: { eventFeed: true }) { user { id } } }');
    const does = async (times: number) => {
      for (let left = times; left > 0; left -= 1) await ana.hasTask();
    };
    await does(2);
    await logIn();
    const watching = spawn(process.execPath, [CLI, 'watch', '--after', '1', '--json'], { env });
    onTestFinished(() => void watching.kill('SIGKILL'));
    let out = '';
    watching.stdout.on('data', (chunk) => {
      out += chunk;
    });
    const lines = () => out.split('\n').slice(0, -1);
    await eventually(() => lines().length === 1);
    await does(1);
    await eventually(() => lines().length === 2);
    expect(lines().map((line) => JSON.parse(line).number)).toEqual([2, 3]);
    watching.kill('SIGINT');
    const [code] = await once(watching, 'close');
    expect(code).toBe(0);
  });
});
