import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { configOf, ownDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { CHALLENGE, code, PROGRESS, type Result, socketOf, streamOf, untilHeard } from '../support/live.js';
import { rawConnection } from '../support/raw.js';
import { type TestUser, type World, world, worldOf } from '../support/world.js';

/** What the next event is, over a WebSocket. */
async function overWebSocket(world: World, user: TestUser) {
  const results = socketOf(user).iterate({ query: PROGRESS });
  let next: Promise<{ value: Result }> | undefined = results.next(); // which subscribes
  await untilHeard(world, user);
  return async () => {
    const { value } = await (next ?? results.next());
    next = undefined;
    return value;
  };
}

async function overEvents(_world: World, user: TestUser) {
  const stream = await streamOf(user, PROGRESS);
  return () => stream.next();
}

describe('A subscriber', () => {
  it.each([
    ['a WebSocket', overWebSocket],
    ['an event stream', overEvents],
  ])(
    'over %s hears of completions by REST and GraphQL, with everything as it is now',
    async (_name, subscribe) => {
      const { ana, ...here } = await worldOf('ana');
      const swim = await ana.hasTask({ points: 2.5 });
      const next = await subscribe(here, ana);
      const complete = () => ana.query(`mutation { completeTask(taskId: "${swim.id}") { isReplayed } }`);
      for (const [at, completes] of [() => ana.completes(swim), complete].entries()) {
        await completes();
        expect((await next()).data.progressChanged).toEqual({
          kind: 'COMPLETION_RECORDED',
          user: { id: ana.id, points: 2.5 * (at + 1), currentStreak: 1 },
          task: { id: String(swim.id), completionCount: at + 1 },
          completion: { id: expect.any(String), points: 2.5, task: { id: String(swim.id) } },
        });
      }
    },
  );

  it('hears of each change once, in order, of none that is replayed or refused, and of those that were overtaken', async () => {
    const { ana, clock } = await worldOf('ana');
    const [swim, run] = [await ana.hasTask({ points: 1 }), await ana.hasTask()];
    const stream = await streamOf(ana, PROGRESS);
    const key = { 'idempotency-key': 'once' };
    const ids = [(await ana.completes(swim, key)).body.id, (await ana.completes(swim, key)).body.id];
    expect((await ana.completes(run, key)).status).toBe(400);
    for (const at of ['2026-11-22T00:00:00.000Z', '2026-11-21T23:59:59.999Z']) {
      clock.set(at);
      ids.push((await ana.completes(swim)).body.id);
    }
    const arrived = [await stream.next(), await stream.next(), await stream.next()];
    expect(arrived.map(({ data }) => data.progressChanged.completion.id)).toEqual(
      [ids[0], ids[2], ids[3]].map(String),
    );
    expect(arrived[2].data.progressChanged.user).toMatchObject({ points: 3, currentStreak: 2 });
  });

  it('hears of every change of a challenge that it follows, and none where nothing changed', async () => {
    const { ana } = await worldOf('ana');
    const stream = await streamOf(ana, CHALLENGE);
    const { id } = await ana.hasAccepted(2);
    await ana.query(`mutation { updateChallengeNotes(id: "${id}", notes: "Good") { challenge { id } } }`);
    for (const end of ['complete', 'complete', 'abandon'])
      await ana.rest.put(`/api/user-challenges/${id}/${end}`);
    const other = await ana.hasAccepted(3);
    const challenges = [];
    while (challenges.length < 4) challenges.push((await stream.next()).data.challengeChanged);
    // Rows are shown as they are when they are read, which may be after the next change.
    expect(challenges.map((challenge) => challenge.id)).toEqual([id, id, id, other.id].map(String));
    expect(challenges[2]).toMatchObject({ status: 'COMPLETED', notes: 'Good', template: { id: '2' } });
  });

  it('hears of what the job corrects, without a task and a completion', async () => {
    const here = await world({ database: await ownDatabase() });
    const ana = await here.newUser();
    await ana.completes(await ana.hasTask());
    const stream = await streamOf(ana, PROGRESS);
    here.clock.advance({ days: 2 });
    expect((await here.job.run()).corrected).toBe(1);
    expect((await stream.next()).data.progressChanged).toEqual({
      ...{ kind: 'STREAK_CORRECTED', task: null, completion: null },
      user: { id: ana.id, points: 10, currentStreak: 0 },
    });
  });

  it("never hears of another user's changes", async () => {
    const { ana, ben } = await worldOf('ana', 'ben');
    const [heard, othersHeard] = [await streamOf(ana, PROGRESS), await streamOf(ben, PROGRESS)];
    await ben.completes(await ben.hasTask());
    await ben.hasAccepted();
    expect((await othersHeard.next()).data.progressChanged.user.id).toBe(ben.id);
    await ana.completes(await ana.hasTask());
    expect((await heard.next()).data.progressChanged.user.id).toBe(ana.id);
  });
});

it('An event that cannot be resolved arrives as a masked error, and the next one arrives', async () => {
  const { newUser, database } = await world({ database: await ownDatabase() });
  const ana = await newUser();
  const swim = await ana.hasTask();
  const fields = 'kind task { completionCount completions { totalCount nodes { id } } }';
  const heard = await streamOf(ana, `subscription { progressChanged { ${fields} } }`);
  const query = database.query();
  await sql`alter table task_completions rename column idempotency_key to hidden`.execute(query);
  await sql`select pg_notify('steady', json_build_object('topic', 'progress', 'userId', ${ana.id}::text,
    'event', json_build_object('kind', 'COMPLETION_RECORDED', 'taskId', ${swim.id}::int))::text)`.execute(
    query,
  );
  const { errors } = await heard.next();
  expect(errors).toEqual([expect.objectContaining({ message: 'Internal server error' })]);
  await sql`alter table task_completions rename column hidden to idempotency_key`.execute(query);
  await ana.completes(swim);
  expect((await heard.next()).data.progressChanged.task.completionCount).toBe(1);
});

it('A plain request that offers another protocol is answered all the same', async () => {
  const asking = await rawConnection((await world()).rest);
  asking.send('GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings, close\r\n');
  asking.send('Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n');
  expect(await asking.all()).toMatch(/^HTTP\/1.1 200 OK\r\n[\s\S]*\{"status":"live"\}$/);
});

describe('POST /graphql', () => {
  it('answers in the type that Accept prefers', async () => {
    const { rest, id } = (await worldOf('ana')).ana;
    const json = `{"data":{"me":{"id":"${id}"}}}`;
    const ofUrql = 'application/graphql-response+json, application/graphql+json, application/json';
    for (const [accept, type] of [
      [`${ofUrql}, text/event-stream, multipart/mixed`, 'application/graphql-response+json'],
      ['text/event-stream;q=0.5, application/json', 'application/json'],
      ['text/event-stream, application/json;q=0.9', 'text/event-stream'],
    ] as const) {
      const { headers, text } = await rest.post('/graphql', { query: '{ me { id } }' }, { accept });
      expect(headers.get('content-type')?.split(';')[0], accept).toBe(type);
      expect(headers.get('cache-control')).toBe('no-store');
      const inStream = `event: next\ndata: ${json}\n\nevent: complete\ndata:`;
      expect(text.trimEnd()).toBe(type === 'text/event-stream' ? inStream : json);
    }
  });

  it('refuses a subscription where one answer is wanted, and says how to subscribe', async () => {
    const { errors } = await (await worldOf('ana')).ana.rest.ask('subscription { progressChanged { kind } }');
    expect(errors).toEqual([code('BAD_REQUEST')]);
    expect(errors[0].message).toContain('text/event-stream');
  });
});

describe('An event stream', () => {
  it('sends heartbeats while nothing happens, and is completed when the service stops', async () => {
    const here = await world({ config: { ...configOf(), liveHeartbeat: 5 } });
    const stream = await streamOf(await here.newUser(), PROGRESS);
    expect([await stream.frame(), await stream.frame()]).toEqual([':', ':']);
    await here.live.close();
    expect(await stream.next()).toBeUndefined();
  });

  it('is forgotten when its client leaves', async () => {
    const { ana, database } = await worldOf('ana');
    (await streamOf(ana, PROGRESS)).close();
    const listeners = sql`select from listeners where user_id = ${ana.id}`;
    await eventually(async () => (await listeners.execute(database.query())).rows.length === 0);
  });
});
