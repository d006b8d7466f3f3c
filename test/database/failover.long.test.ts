import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../support/eventually.js';
import { firstOf, PROGRESS, type Result, socketOf } from '../support/live.js';
import { startPgBouncer } from '../support/pgbouncer.js';
import { run, startService } from '../support/process.js';
import { startProxy } from '../support/proxy.js';
import { answerOf, startPair } from '../support/standby.js';
import { has } from '../support/tools.js';
import { SECRET, signUp, type TestUser } from '../support/world.js';

const DATABASE = 'steady';

/** A service on a primary behind an address that can move, with a standby. A pooler goes to the same address. */
async function serviceOnPair({ isSynchronous = false, isPooled = false, environment = {} } = {}) {
  const pair = await startPair({ isSynchronous });
  onTestFinished(() => pair.stop());
  await pair.primary.execute(`create database ${DATABASE}`);
  const proxy = await startProxy(pair.primary.port);
  onTestFinished(() => proxy.stop());
  const direct = proxy.through(pair.primary.url(DATABASE));
  const addresses = isPooled ? await pooled(direct) : { DATABASE_URL: direct };
  const service = startService({ ...addresses, JWT_SECRET: SECRET, ...environment });
  const rest = await service.listening();
  const newUser = () => signUp(rest);
  const isReady = async () => (await rest.get('/health/ready')).status === 200;
  return { ...pair, proxy, service, rest, newUser, isReady };
}

async function pooled(direct: string) {
  const pooler = await startPgBouncer(direct);
  onTestFinished(() => pooler.stop());
  return { DATABASE_URL: pooler.through(direct), DATABASE_DIRECT_URL: direct };
}

/** What somebody wanted to have counted once, and what came of it: the id of a completion, or why there may be none. */
interface Wish {
  user: TestUser;
  key: string | undefined;
  times: number;
  became: number | string;
}

const NOT_APPLIED = 'Service unavailable, nothing was changed';
const UNKNOWN = 'The outcome is unknown';

/** As clients do: what has a key is asked for until it is answered; what has none once. */
function load(clients: { user: TestUser; task: { id: number } }[]) {
  const wishes: Wish[] = [];
  let isOver = false;
  const live = async ({ user, task }: (typeof clients)[number]) => {
    for (let count = 0; !isOver; count += 1) {
      const key = count % 3 === 0 ? undefined : randomUUID();
      const wish: Wish = { user, key, times: 0, became: UNKNOWN };
      wishes.push(wish);
      do {
        if (wish.times > 0) await pause(20);
        wish.times += 1;
        const { status, body } = await user.completes(
          task,
          key === undefined ? {} : { 'Idempotency-Key': key },
        );
        wish.became = status === 201 ? Number(body.id) : body.error;
        if (status !== 201) expect([NOT_APPLIED, UNKNOWN]).toContain(wish.became);
      } while (key !== undefined && typeof wish.became === 'string');
    }
  };
  const over = Promise.all(clients.map(live));
  return {
    wishes,
    done: () => wishes.filter(({ became }) => typeof became === 'number').length,
    stop: () => {
      isOver = true;
      return over;
    },
  };
}

interface Row {
  id: number;
  key: string | null;
}

/** What was acknowledged is there, once; what is there besides may have been carried out, as its client was told. */
function expectOnce(wishes: Wish[], rows: Row[]): void {
  const acknowledged = wishes.map(({ became }) => became).filter((became) => typeof became === 'number');
  const told = new Set(acknowledged);
  expect(told.size).toBe(acknowledged.length);
  const ids = new Set(rows.map(({ id }) => id));
  expect(acknowledged.filter((id) => !ids.has(id))).toEqual([]);
  const untold = rows.filter(({ id }) => !told.has(id));
  expect(untold.filter(({ key }) => key !== null)).toEqual([]);
  expect(untold.length).toBeLessThanOrEqual(wishes.filter(({ became }) => became === UNKNOWN).length);
}

type There = Awaited<ReturnType<typeof serviceOnPair>>;

const rowsOf = (users: TestUser[], server: There['primary']): Promise<Row[]> =>
  answerOf(
    server,
    `select json_agg(json_build_object('id', id, 'key', idempotency_key)) as answer
     from task_completions where user_id in ('${users.map(({ id }) => id).join("', '")}')`,
    DATABASE,
  );

/** Until the service is ready there. */
async function takeOver({ promote, proxy, standby, isReady }: There): Promise<void> {
  await promote();
  proxy.moveTo(standby.port);
  await eventually(isReady);
}

/** How many connections the service has to a server. */
const connectionsTo = (server: There['primary']): Promise<number> =>
  answerOf(server, `select count(*) as answer from pg_stat_activity where datname = '${DATABASE}'`);

async function verified({ standby }: There): Promise<string> {
  const command = run('operation/commands/streaks-verify.js', { DATABASE_URL: standby.url(DATABASE) });
  await command.exited;
  return command.output;
}

/** The next change of somebody's progress, or how the subscription ended, once there is one or the other. */
function subscriptionOf(user: TestUser) {
  const next = { is: undefined as Result };
  const heard = (result: Result) => {
    next.is = result;
  };
  firstOf(socketOf(user), PROGRESS).then(heard, heard);
  return next;
}

describe('When a standby takes over', () => {
  it('every acknowledged completion is there once, the service is ready, and the old server is left', async () => {
    const there = await serviceOnPair({ isSynchronous: true, environment: { WORKERS: '2' } });
    const { primary, standby, service, newUser, isReady } = there;
    const [ana, ...users] = await Promise.all([newUser(), newUser(), newUser(), newUser(), newUser()]);
    const clients = await Promise.all(users.map(async (user) => ({ user, task: await user.hasTask() })));
    const swim = await ana.hasTask();
    const { wishes, done, stop } = load(clients);
    const before = subscriptionOf(ana);
    const isHeard = `select true as answer from listeners where user_id = '${ana.id}'`;
    await eventually(() => answerOf(primary, isHeard, DATABASE));
    await eventually(() => done() > 100);

    await primary.halt('kill');
    await eventually(async () => !(await isReady()));
    there.demote();
    await primary.start(); // at the address, where it only reads
    await eventually(async () => (await ana.rest.get('/api/tasks/me')).status === 200);
    expect(await ana.completes(swim)).toMatchObject({ status: 503, body: { error: NOT_APPLIED } });
    expect(await isReady()).toBe(false);

    await takeOver(there);
    await eventually(async () => Number(await connectionsTo(primary)) === 0);
    await eventually(() => before.is?.code === 1012); // and then a client subscribes again, and looks
    let after = subscriptionOf(ana);
    await eventually(async () => {
      if (after.is?.code === 1012) after = subscriptionOf(ana); // to the other worker
      expect((await ana.completes(swim)).status).toBe(201);
      return after.is?.data?.progressChanged.kind === 'COMPLETION_RECORDED';
    });
    await stop();

    expectOnce(wishes, await rowsOf(users, standby));
    const taskOf = new Map(clients.map(({ user, task }) => [user, task]));
    for (const { user, key = '', became } of wishes.filter(({ times }) => times > 1).slice(0, 20)) {
      const again = await user.completes(taskOf.get(user) ?? { id: 0 }, { 'Idempotency-Key': key });
      expect([again.body.id, again.headers.get('idempotent-replayed')]).toEqual([became, 'true']);
    }
    expect(await verified(there)).toContain('Every counter agrees with its history');
    expect(service.child.exitCode).toBeNull();
    expect(service.output).not.toContain('ended');
  });

  it('an asynchronous one, behind a pooler if there is one, lacks what came last, and a client that asks again by its keys has all of it counted once', async () => {
    const isPooled = has('PgBouncer');
    const there = await serviceOnPair({ isPooled });
    const { primary, standby, service, newUser } = there;
    const ana = await newUser();
    const swim = await ana.hasTask();
    const complete = (key: string) => ana.completes(swim, { 'Idempotency-Key': key });
    expect((await complete('arrived')).status).toBe(201);
    await there.untilCaughtUp();
    await there.cutOff();
    for (const key of ['late', 'later']) expect((await complete(key)).status).toBe(201);

    await primary.halt('kill');
    await takeOver(there);
    expect(await ana.profile()).toMatchObject({ points: 10 });
    expect((await rowsOf([ana], standby)).map(({ key }) => key)).toEqual(['arrived']);
    expect(await verified(there)).toContain('Every counter agrees with its history');
    for (const key of ['arrived', 'late', 'later']) expect((await complete(key)).status).toBe(201);
    expect(await ana.profile()).toMatchObject({ points: 30 });
    await eventually(() => service.output.includes('are heard again')); // by both addresses it is one database
  });
});
