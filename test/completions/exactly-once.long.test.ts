import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { launch, type ServiceProcess } from '../support/process.js';
import { isCommit, isStatement, startProxy, type TcpProxy } from '../support/proxy.js';
import { type PostgresServer, startPostgres } from '../support/server.js';
import { SECRET, TestUser } from '../support/world.js';

const COMPLETE = `mutation ($id: ID!, $key: String) {
  completeTask(taskId: $id, idempotencyKey: $key) { completion { id points completedAt } isReplayed }
}`;
const isCompletion = isStatement('insert into task_completions');

/** What any client learns of a completion, over whichever API. */
interface Learned {
  id: number;
  isReplayed: boolean;
}

async function overRest(user: TestUser, taskId: number, key: string): Promise<Learned> {
  const { status, body, headers } = await user.completes({ id: taskId }, { 'Idempotency-Key': key });
  expect(status).toBe(201);
  return { id: body.id, isReplayed: headers.get('Idempotent-Replayed') === 'true' };
}

async function overGraphql(user: TestUser, id: number, key: string): Promise<Learned> {
  const { completion, isReplayed } = (await user.query(COMPLETE, { id, key })).completeTask;
  return { id: Number(completion.id), isReplayed };
}

describe('With two processes on one PostgreSQL server,', () => {
  let server: PostgresServer;
  let proxy: TcpProxy;
  let processes: ServiceProcess[] = [];
  let bases: string[] = [];
  let direct: pg.Client;
  beforeAll(async () => {
    server = await startPostgres();
    await server.execute('create database steady');
    const url = server.url('steady');
    direct = new pg.Client(url);
    await direct.connect();
    proxy = await startProxy(Number(new URL(url).port));
    // Time enough for everyone, however busy the machine is.
    const start = (DATABASE_URL: string) =>
      launch('dist/src/main.js', { DATABASE_URL, JWT_SECRET: SECRET, REQUEST_TIMEOUT: '60000' });
    processes = [start(proxy.through(url)), start(url)];
    bases = await Promise.all(processes.map(async (process) => (await process.listening()).base));
  });
  afterEach(() => proxy.heal());
  afterAll(async () => {
    for (const process of processes) await process.stop('SIGKILL');
    await proxy.stop();
    await direct.end();
    await server.stop();
  });

  /** Someone with a task of 10 points, on the process behind the proxy and on the other one. */
  async function newUser() {
    const [base = '', otherBase = ''] = bases;
    const account = { name: 'Ana', email: `${randomUUID()}@example.com`, password: 'secret1' };
    const stranger = new TestUser(base, '', { id: '', ...account });
    const { token, user } = (await stranger.rest.post('/api/auth/signup', account)).body;
    const here = new TestUser(base, token, { ...user, ...account });
    const there = new TestUser(otherBase, token, here.account);
    return { here, there, taskId: (await here.hasTask()).id };
  }

  const stored = async ({ id }: TestUser): Promise<{ id: number; task_id: number }[]> =>
    (await direct.query('select id::int, task_id::int from task_completions where user_id = $1', [id])).rows;

  /** Over both APIs of both processes in turn. */
  const ways = ({ here, there }: { here: TestUser; there: TestUser }) =>
    [here, there].flatMap((user) =>
      [overRest, overGraphql].map((send) => (taskId: number, key: string) => send(user, taskId, key)),
    );

  it('200 identical requests at once, over both APIs, are one completion, which every answer shows', async () => {
    const ana = await newUser();
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => ways(ana).map((send) => send(ana.taskId, 'monday'))).flat(),
    );
    expect(answers).toHaveLength(200);
    const [row, ...more] = await stored(ana.here);
    expect(more).toEqual([]);
    expect(new Set(answers.map(({ id }) => id))).toEqual(new Set([row?.id]));
    expect(answers.filter(({ isReplayed }) => !isReplayed)).toHaveLength(1);
    expect(await ana.there.profile()).toMatchObject({ points: 10, current_streak: 1 });
  });

  it.each(['cut', 'reset'] as const)(
    'a completion whose answer was lost in a %s is found again by its key, within the request',
    async (ending) => {
      const ana = await newUser();
      for (const [index, send] of ways(ana).slice(0, 2).entries()) {
        const swallowed = proxy.swallow(isCompletion, ending);
        const { id, isReplayed } = await send(ana.taskId, `lost-${index}`);
        await swallowed;
        expect({ isReplayed, rows: (await stored(ana.here)).map((row) => row.id) }).toEqual({
          isReplayed: true,
          rows: expect.arrayContaining([id]),
        });
      }
      expect(await stored(ana.here)).toHaveLength(2);
      expect(await ana.here.profile()).toMatchObject({ points: 20 });
    },
  );

  it('a completion whose answer never comes is found again by its key, within the request', async () => {
    const ana = await newUser();
    const swallowed = proxy.swallow(isCompletion);
    const { id, isReplayed } = await overRest(ana.here, ana.taskId, 'silence');
    await swallowed;
    expect(isReplayed).toBe(true);
    for (const send of ways(ana)) {
      expect(await send(ana.taskId, 'silence')).toEqual({ id, isReplayed: true });
    }
    expect(await stored(ana.here)).toEqual([{ id, task_id: ana.taskId }]);
  });

  it('a completion that reaches the database late, after it was done again by its key, counts once', async () => {
    const ana = await newUser();
    const held = proxy.when(isCompletion, (wire) => wire.stall());
    const first = ana.here.completes({ id: ana.taskId }, { 'Idempotency-Key': 'late' });
    const wire = await held;
    const { id } = await overRest(ana.there, ana.taskId, 'late');
    await first;
    wire.resume();
    await eventually(() => !proxy.wires.has(wire));
    for (const send of ways(ana)) expect(await send(ana.taskId, 'late')).toEqual({ id, isReplayed: true });
    expect(await stored(ana.here)).toEqual([{ id, task_id: ana.taskId }]);
    expect(await ana.here.profile()).toMatchObject({ points: 10 });
  });

  it('a completion without a key whose answer was lost has the outcome UNKNOWN, and is stored once', async () => {
    const ana = await newUser();
    const swallowed = proxy.swallow(isCompletion, 'reset');
    const { status, body } = await ana.here.completes({ id: ana.taskId });
    await swallowed;
    expect([status, body]).toEqual([503, { error: 'The outcome is unknown' }]);
    const overGraph = proxy.swallow(isCompletion, 'reset');
    await expect(ana.here.query(COMPLETE, { id: ana.taskId })).rejects.toMatchObject({
      response: { errors: [{ extensions: { code: 'SERVICE_UNAVAILABLE', outcome: 'UNKNOWN' } }] },
    });
    await overGraph;
    expect(await stored(ana.here)).toHaveLength(2);
  });

  it('a completion that is recorded never has the outcome NOT_APPLIED, whatever cannot be read after it', async () => {
    const ana = await newUser();
    await ana.there.profile(); // its token is known there for some seconds, and is not looked up
    await direct.query('begin');
    await direct.query('lock table users in access exclusive mode');
    const look = ana.there.query(
      'mutation ($id: ID!) { completeTask(taskId: $id) { completion { id } user { name } } }',
      { id: ana.taskId },
    );
    const outcome = await look.then(
      () => 'DONE',
      (error) => error.response.errors[0].extensions.outcome,
    );
    await direct.query('rollback');
    expect(await stored(ana.here)).toHaveLength(1);
    expect(outcome).not.toBe('NOT_APPLIED');
  });

  it('a completion that was overtaken at midnight, and whose commit was not answered, counts once', async () => {
    const ana = await newUser();
    await ana.here.completes({ id: ana.taskId });
    await direct.query('update user_progress set last_active_on = last_active_on + 2 where user_id = $1', [
      ana.here.id,
    ]);
    const swallowed = proxy.swallow(isCommit, 'cut');
    const { id, isReplayed } = await overRest(ana.here, ana.taskId, 'late');
    await swallowed;
    expect(isReplayed).toBe(true);
    expect((await stored(ana.here)).map((row) => row.id)).toContain(id);
    expect(await stored(ana.here)).toHaveLength(2);
    expect(await ana.here.profile()).toMatchObject({ points: 20 });
  });
});
