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
import { type Answer, SECRET, TestUser } from '../support/world.js';

const DATABASE = 'steady';

/** In milliseconds, after the new primary takes writes. */
const READY_WITHIN = 2_000;

/** In milliseconds: a connection to a server that takes no writes is asked whether it does, and then given up. */
const LEFT_WITHIN = 8_000;

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
  const newUser = async () => {
    const account = { name: 'Ana', email: `${randomUUID()}@example.com`, password: 'secret1' };
    const { token, user } = (await rest.post('/api/auth/signup', account)).body;
    return new TestUser(rest.base, token, { ...user, ...account });
  };
  const isReady = async () => (await rest.get('/health/ready')).status === 200;
  return { ...pair, proxy, service, rest, newUser, isReady };
}

async function pooled(direct: string) {
  const pooler = await startPgBouncer(direct);
  onTestFinished(() => pooler.stop());
  return { DATABASE_URL: pooler.through(direct), DATABASE_DIRECT_URL: direct };
}

type Outcome = { is: 'done'; id: number } | { is: 'notApplied' | 'unknown' } | { is: 'wrong'; why: string };

/** What somebody wanted to have counted once, and what came of it. */
interface Wish {
  user: TestUser;
  key: string | undefined;
  outcomes: Outcome[];
}

const COMPLETE = `mutation ($task: ID!, $key: String) {
  completeTask(taskId: $task, idempotencyKey: $key) { completion { id } }
}`;

const NOT_APPLIED = 'Service unavailable, nothing was changed';

function outcomeOf({ status, body }: Answer): Outcome {
  const { id, error, data, errors } = body ?? {};
  const done = status === 201 ? id : data?.completeTask?.completion.id;
  if (done) return { is: 'done', id: Number(done) };
  const told = errors?.[0]?.extensions?.outcome;
  if (told === 'NOT_APPLIED' || (status === 503 && error === NOT_APPLIED)) return { is: 'notApplied' };
  if (told === 'UNKNOWN' || (status === 503 && error === 'The outcome is unknown')) return { is: 'unknown' };
  return { is: 'wrong', why: `${status} ${JSON.stringify(body)}` };
}

/** As clients do: what has a key is asked for until it is answered, on either API; what has none once. */
function load(clients: { user: TestUser; task: { id: number } }[]) {
  const wishes: Wish[] = [];
  let isOver = false;
  const live = async ({ user, task }: (typeof clients)[number]) => {
    const ask = (key: string | undefined, isRest: boolean) =>
      isRest
        ? user.completes(task, key === undefined ? {} : { 'Idempotency-Key': key })
        : user.rest.post('/graphql', { query: COMPLETE, variables: { task: task.id, key } });
    for (let count = 0; !isOver; count += 1) {
      const wish: Wish = { user, key: count % 3 === 0 ? undefined : randomUUID(), outcomes: [] };
      wishes.push(wish);
      for (let isRest = count % 2 === 0; ; isRest = !isRest) {
        const outcome = outcomeOf(await ask(wish.key, isRest));
        wish.outcomes.push(outcome);
        if (outcome.is === 'done' || outcome.is === 'wrong' || wish.key === undefined) break;
        await pause(20);
      }
    }
  };
  const over = Promise.all(clients.map(live));
  return {
    wishes,
    done: () => wishes.filter(({ outcomes }) => outcomes.at(-1)?.is === 'done').length,
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

/** One line for each difference between what clients were told and what the database holds. */
function differences(wishes: Wish[], rows: Row[]): string[] {
  const wrong = wishes.flatMap(({ outcomes }) =>
    outcomes.flatMap((each) => (each.is === 'wrong' ? [each.why] : [])),
  );
  const ids = new Set(rows.map(({ id }) => id));
  const doneOf = ({ outcomes }: Wish) => outcomes.flatMap((each) => (each.is === 'done' ? [each.id] : []));
  const acknowledged = wishes.flatMap(doneOf);
  const lost = acknowledged.filter((id) => !ids.has(id)).map((id) => `${id} was acknowledged and is lost`);
  const twice = acknowledged.length - new Set(acknowledged).size;
  const unkeyed = wishes.filter(({ key }) => key === undefined);
  const told = new Set(acknowledged);
  const strangers = rows.filter(({ id, key }) => key === null && !told.has(id)).length;
  const unknown = unkeyed.filter(({ outcomes }) => outcomes[0]?.is === 'unknown').length;
  const unasked = rows.filter(({ id, key }) => key !== null && !told.has(id));
  return [
    ...wrong,
    ...lost,
    ...(twice > 0 ? [`${twice} were acknowledged twice`] : []),
    ...(strangers > unknown ? [`${strangers} were carried out, and only ${unknown} may have been`] : []),
    ...unasked.map(({ key }) => `${key} was carried out twice`),
  ];
}

type There = Awaited<ReturnType<typeof serviceOnPair>>;

const rowsOf = (users: TestUser[], server: There['primary']): Promise<Row[]> =>
  answerOf(
    server,
    `select json_agg(json_build_object('id', id, 'key', idempotency_key)) as answer
     from task_completions where user_id in ('${users.map(({ id }) => id).join("', '")}')`,
    DATABASE,
  );

/** Resolves with how long the service took to be ready, in milliseconds, once the new primary took writes. */
async function takeOver({ promote, proxy, standby, isReady }: There): Promise<number> {
  await promote();
  const at = performance.now();
  proxy.moveTo(standby.port);
  await eventually(isReady);
  return performance.now() - at;
}

/** How many connections the service has to a server, and when it last sent something on one, in milliseconds. */
const useOf = (server: There['primary']): Promise<{ open: number; last: number }> =>
  answerOf(
    server,
    `select json_build_object('open', count(*), 'last', coalesce(max(extract(epoch from query_start)), 0) * 1000) as answer
     from pg_stat_activity where datname = '${DATABASE}'`,
  );

/** Keys that are answered otherwise than they were before. */
async function replaysOf(
  wishes: Wish[],
  clients: { user: TestUser; task: { id: number } }[],
): Promise<string[]> {
  const taskOf = new Map(clients.map(({ user, task }) => [user, task]));
  const kept = wishes.filter(({ key, outcomes }) => key !== undefined && outcomes.length > 1).slice(0, 20);
  const checked = kept.map(async ({ user, key = '', outcomes }) => {
    const answer = await user.completes(taskOf.get(user) ?? { id: 0 }, { 'Idempotency-Key': key });
    const was = outcomes.at(-1);
    const isSame = was?.is === 'done' && answer.body.id === was.id;
    return isSame && answer.headers.get('idempotent-replayed') === 'true' ? [] : [key];
  });
  return (await Promise.all(checked)).flat();
}

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
  it('every acknowledged completion is there once, the service is ready at once, and the old server is left', async () => {
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

    expect(await takeOver(there)).toBeLessThan(READY_WITHIN);
    const since = Date.now();
    let lastAsked = 0;
    await eventually(async () => {
      const { last, open } = await useOf(primary);
      lastAsked = Math.max(lastAsked, last);
      return open === 0;
    });
    expect(lastAsked - since).toBeLessThan(LEFT_WITHIN);
    await eventually(() => before.is?.code === 1012); // and then a client subscribes again, and looks
    let after = subscriptionOf(ana);
    await eventually(async () => {
      if (after.is?.code === 1012) after = subscriptionOf(ana); // to the other worker
      expect((await ana.completes(swim)).status).toBe(201);
      return after.is?.data?.progressChanged.kind === 'COMPLETION_RECORDED';
    });
    await stop();

    expect(differences(wishes, await rowsOf(users, standby))).toEqual([]);
    expect(await replaysOf(wishes, clients)).toEqual([]);
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
