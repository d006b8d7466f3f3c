import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { configOf, ownDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { CHALLENGE, code, PROGRESS, type Result, socketOf, streamOf, untilHeard } from '../support/live.js';
import { rawConnection } from '../support/raw.js';
import { type TestUser, type World, world, worldOf } from '../support/world.js';

interface Heard {
  next: () => Promise<Result>;
}

type Subscribe = (world: World, user: TestUser, query: string) => Promise<Heard>;

const overWebSocket: Subscribe = async (world, user, query) => {
  const results = socketOf(user).iterate({ query });
  const first = results.next(); // which subscribes
  first.catch(() => {});
  await untilHeard(world, user);
  let isFirst = true;
  return {
    next: async () => {
      const result = isFirst ? await first : await results.next();
      isFirst = false;
      return result.value;
    },
  };
};

const overEvents: Subscribe = (_world, user, query) => streamOf(user, query);

const transports = [
  ['a WebSocket', overWebSocket],
  ['an event stream', overEvents],
] as const;

describe.each(transports)('Over %s', (_name, subscribe) => {
  it.each(['REST', 'GraphQL'])('a completion by %s arrives, with everything as it is now', async (api) => {
    const { ana, ...here } = await worldOf('ana');
    const swim = await ana.hasTask({ points: 2.5 });
    const heard = await subscribe(here, ana, PROGRESS);

    if (api === 'REST') await ana.completes(swim);
    else await ana.graphql.request(`mutation { completeTask(taskId: "${swim.id}") { isReplayed } }`);

    expect(await heard.next()).toEqual({
      data: {
        progressChanged: {
          kind: 'COMPLETION_RECORDED',
          user: { id: ana.id, points: 2.5, currentStreak: 1 },
          task: { id: String(swim.id), completionCount: 1 },
          completion: { id: expect.any(String), points: 2.5, task: { id: String(swim.id) } },
        },
      },
    });
  });

  it('each change arrives once, in order, and a replayed one not at all', async () => {
    const { ana, ...here } = await worldOf('ana');
    const swim = await ana.hasTask({ points: 1 });
    const heard = await subscribe(here, ana, 'subscription { progressChanged { completion { id } } }');
    const key = { 'idempotency-key': 'once' };
    const ids = [];
    for (const headers of [key, key, {}, {}]) ids.push((await ana.completes(swim, headers)).body.id);
    const arrived = [await heard.next(), await heard.next(), await heard.next()];
    expect(arrived.map(({ data }) => data.progressChanged.completion.id)).toEqual(
      [ids[0], ids[2], ids[3]].map(String),
    );
  });

  it('the undoing of a completion arrives without that completion', async () => {
    const { ana, ...here } = await worldOf('ana');
    const swim = await ana.hasTask();
    const { id } = (await ana.completes(swim)).body;
    const document =
      'subscription { progressChanged { kind taskIds completionId user { points currentStreak } task { completionCount } completion { id } } }';
    const heard = await subscribe(here, ana, document);
    await ana.graphql.request(`mutation { undoCompletion(id: "${id}") { completionId } }`);
    expect((await heard.next()).data.progressChanged).toMatchObject({
      kind: 'COMPLETION_UNDONE',
      ...{ taskIds: [String(swim.id)], completionId: String(id) },
      user: { points: 0, currentStreak: 0 },
      task: { completionCount: 0 },
      completion: null,
    });
  });

  it('a pause of everything arrives with the ids of all tasks', async () => {
    const { ana, ...here } = await worldOf('ana');
    const ids = [await ana.hasTask(), await ana.hasTask()].map(({ id }) => String(id));
    const heard = await subscribe(here, ana, 'subscription { progressChanged { kind taskIds } }');
    await ana.query('mutation { createPause(input: { from: "2026-12-01" }) { pause { id } } }');
    expect((await heard.next()).data.progressChanged).toEqual({ kind: 'PAUSE_BEGUN', taskIds: ids });
    await ana.query('mutation ($id: ID!) { archiveTask(id: $id) { task { id } } }', { id: ids[0] });
    expect((await heard.next()).data.progressChanged).toEqual({
      kind: 'TASK_ARCHIVED',
      taskIds: [ids[0]],
    });
  });

  it('a changed profile arrives, by GraphQL and REST, with the ids of all tasks if days or weeks change', async () => {
    const { ana, ...here } = await worldOf('ana');
    const ids = [String((await ana.hasTask()).id)];
    const document = 'subscription { progressChanged { kind taskIds user { name timeZone language } } }';
    const heard = await subscribe(here, ana, document);
    const next = async () => (await heard.next()).data.progressChanged;
    const news = { kind: 'PROFILE_CHANGED', taskIds: [] };
    await ana.rest.put('/api/user/profile', { name: 'Anna' });
    expect(await next()).toMatchObject({ ...news, user: { name: 'Anna' } });
    await ana.query('mutation { updateProfile(input: { language: DE }) { user { id } } }');
    expect(await next()).toMatchObject({ ...news, user: { language: 'DE' } });
    await ana.query('mutation { updateProfile(input: { timeZone: "Asia/Tokyo" }) { user { id } } }');
    expect(await next()).toMatchObject({ ...news, taskIds: ids, user: { timeZone: 'Asia/Tokyo' } });
  });

  it('a completion that was overtaken at midnight arrives like any other', async () => {
    const { ana, ...here } = await worldOf('ana');
    const swim = await ana.hasTask();
    here.clock.set('2026-11-22T00:00:00.000Z');
    await ana.completes(swim);
    const heard = await subscribe(here, ana, PROGRESS);
    here.clock.set('2026-11-21T23:59:59.999Z');
    await ana.completes(swim);
    expect((await heard.next()).data.progressChanged).toMatchObject({
      kind: 'COMPLETION_RECORDED',
      user: { points: 20, currentStreak: 2 },
    });
  });

  it('what the job corrects arrives without task and completion', async () => {
    const here = await world({ database: await ownDatabase() });
    const ana = await here.newUser();
    await ana.completes(await ana.hasTask());
    const heard = await subscribe(here, ana, PROGRESS);
    here.clock.advance({ days: 2 });
    expect((await here.job.run()).corrected).toBe(1);
    expect((await heard.next()).data.progressChanged).toEqual({
      kind: 'STREAK_CORRECTED',
      user: { id: ana.id, points: 10, currentStreak: 0 },
      task: null,
      completion: null,
    });
  });

  it('every change of a task arrives, by GraphQL and REST, and none where nothing changed', async () => {
    const { ana, ...here } = await worldOf('ana');
    const first = await ana.hasTask();
    const heard = await subscribe(here, ana, PROGRESS);
    const next = async () => {
      const { kind, task, user, completion } = (await heard.next()).data.progressChanged;
      expect({ user: user.id, completion }).toEqual({ user: ana.id, completion: null });
      return [kind, Number(task?.id)];
    };
    const { id } = await ana.hasTask();
    expect(await next()).toEqual(['TASK_CREATED', id]);
    await ana.rest.put(`/api/tasks/${id}`, { points: 3 });
    expect(await next()).toEqual(['TASK_CHANGED', id]);
    const create = 'mutation { createTask(input: { title: "Run" }, idempotencyKey: "a") { task { id } } }';
    const last = Number((await ana.query(create)).createTask.task.id);
    expect(await next()).toEqual(['TASK_CREATED', last]);
    await ana.query(create); // is replayed
    const change = (field: string, more = '') =>
      ana.query(`mutation { ${field}(id: "${last}"${more}) { task { id } } }`);
    await change('unarchiveTask'); // is in use
    await change('moveTask', `, behindTaskId: "${id}"`); // is there
    for (const [field, more, kind] of [
      ['updateTask', ', input: { title: "Walk" }', 'TASK_CHANGED'],
      ['moveTask', `, behindTaskId: "${first.id}"`, 'TASK_MOVED'],
      ['archiveTask', '', 'TASK_ARCHIVED'],
      ['archiveTask', '', undefined], // changes nothing
      ['unarchiveTask', '', 'TASK_UNARCHIVED'],
      ['updateTask', `, input: { points: 7 }`, 'TASK_CHANGED'],
    ] as const) {
      await change(field, more);
      if (kind) expect(await next()).toEqual([kind, last]);
    }
    await ana.rest.put(`/api/tasks/${first.id}`, { points: 3 });
    expect(await next()).toEqual(['TASK_CHANGED', first.id]);
  });

  it('every change of a challenge arrives, and none where nothing changed', async () => {
    const { ana, ...here } = await worldOf('ana');
    const heard = await subscribe(here, ana, CHALLENGE);
    const { id } = await ana.hasAccepted(2);
    const path = `/api/user-challenges/${id}`;
    await ana.graphql.request(
      `mutation { updateChallengeNotes(id: "${id}", notes: "Good") { challenge { id } } }`,
    );
    expect((await ana.rest.put(`${path}/complete`)).status).toBe(200);
    expect((await ana.rest.put(`${path}/complete`)).status).toBe(200);
    expect((await ana.rest.put(`${path}/abandon`)).status).toBe(400);
    const next = await ana.hasAccepted(3);
    await ana.rest.put(`/api/user-challenges/${next.id}/abandon`);

    const challenges = [];
    while (challenges.length < 5) challenges.push((await heard.next()).data.challengeChanged);
    // Rows are shown as they are when they are read, which may be after the next change.
    expect(challenges.map((challenge) => challenge.id)).toEqual([id, id, id, next.id, next.id].map(String));
    expect(challenges[2]).toEqual({
      id: String(id),
      status: 'COMPLETED',
      notes: 'Good',
      template: { id: '2' },
    });
    expect(challenges[4]).toMatchObject({ status: 'ABANDONED', template: { id: '3' } });
  });

  it("another user's changes never arrive", async () => {
    const { ana, ...here } = await worldOf('ana');
    const ben = await here.newUser();
    const heard = await subscribe(here, ana, PROGRESS);
    const othersHeard = await subscribe(here, ben, PROGRESS);
    await ben.completes(await ben.hasTask());
    await ben.hasAccepted();
    expect((await othersHeard.next()).data.progressChanged.user.id).toBe(ben.id);
    await ana.completes(await ana.hasTask());
    expect((await heard.next()).data.progressChanged.user.id).toBe(ana.id);
  });

  it('what is refused by the database is not announced', async () => {
    const { ana, ...here } = await worldOf('ana');
    const [swim, run] = [await ana.hasTask(), await ana.hasTask()];
    await ana.completes(swim, { 'idempotency-key': 'once' });
    const heard = await subscribe(here, ana, PROGRESS);
    expect((await ana.completes(run, { 'idempotency-key': 'once' })).status).toBe(400);
    await ana.completes(run);
    expect((await heard.next()).data.progressChanged.task).toEqual({
      id: String(run.id),
      completionCount: 1,
    });
  });
});

describe('An event that cannot be resolved', () => {
  it('arrives as a masked error, and the next one arrives', async () => {
    const database = await ownDatabase();
    const here = await world({ database });
    const ana = await here.newUser();
    const swim = await ana.hasTask();
    const heard = await streamOf(
      ana,
      'subscription { progressChanged { kind task { completionCount completions { totalCount nodes { id } } } } }',
    );
    await sql`alter table task_completions rename column idempotency_key to hidden`.execute(database.query());
    await sql`select pg_notify('steady', json_build_object('topic', 'progress', 'userId', ${ana.id}::text,
      'event', json_build_object('kind', 'COMPLETION_RECORDED', 'taskId', ${swim.id}::int))::text)`.execute(
      database.query(),
    );
    const { errors } = await heard.next();
    expect(errors).toEqual([expect.objectContaining({ message: 'Internal server error' })]);
    await sql`alter table task_completions rename column hidden to idempotency_key`.execute(database.query());
    await ana.completes(swim);
    expect((await heard.next()).data.progressChanged.task.completionCount).toBe(1);
  });
});

describe('A plain request that offers another protocol', () => {
  it('is answered all the same', async () => {
    const { rest } = await world();
    const asking = await rawConnection(rest);
    asking.send('GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings, close\r\n');
    asking.send('Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n');
    expect(await asking.all()).toMatch(/^HTTP\/1.1 200 OK\r\n[\s\S]*\{"status":"live"\}$/);
  });
});

describe('POST /graphql', () => {
  const urql =
    'application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed';

  const types = [
    [urql, 'application/graphql-response+json'],
    ['*/*', 'application/json'],
    ['application/json', 'application/json'],
    ['text/event-stream;q=0.5, application/json', 'application/json'],
    ['text/event-stream', 'text/event-stream'],
    ['text/event-stream, multipart/mixed', 'text/event-stream'],
    ['text/event-stream, application/json;q=0.9', 'text/event-stream'],
  ] as const;

  it('answers in the type that Accept prefers', async () => {
    const { rest, id } = (await worldOf('ana')).ana;
    const json = `{"data":{"me":{"id":"${id}"}}}`;
    for (const [accept, type] of types) {
      const { headers, text } = await rest.post('/graphql', { query: '{ me { id } }' }, { accept });
      expect(headers.get('content-type')?.split(';')[0], accept).toBe(type);
      expect(headers.get('cache-control')).toBe('no-store');
      const isStream = type === 'text/event-stream';
      const inStream = `event: next\ndata: ${json}\n\nevent: complete\ndata:`;
      expect(text.trimEnd()).toBe(isStream ? inStream : json);
    }
  });

  it('refuses a subscription where one answer is wanted, and says how to subscribe', async () => {
    const { rest } = (await worldOf('ana')).ana;
    const body = await rest.ask('subscription { progressChanged { kind } }');
    expect(body.errors).toEqual([code('BAD_REQUEST')]);
    expect(body.errors[0].message).toContain('text/event-stream');
  });

  it('refuses malformed requests in JSON, whatever Accept prefers', async () => {
    const { rest } = await world();
    for (const body of ['{"query":1}', '[]', '{"query":"{ me { id } }","variables":[]}', '{']) {
      const answer = await rest.post('/graphql', body, { accept: 'text/event-stream' });
      expect([answer.status, answer.body.errors]).toEqual([400, [expect.anything()]]);
    }
  });
});

describe('An event stream', () => {
  it('sends heartbeats while nothing happens', async () => {
    const here = await world({ config: { ...configOf(), liveHeartbeat: 5 } });
    const stream = await streamOf(await here.newUser(), PROGRESS);
    expect([await stream.frame(), await stream.frame()]).toEqual([':', ':']);
  });

  it('is forgotten when its client leaves', async () => {
    const { ana, ...here } = await worldOf('ana');
    const stream = await streamOf(ana, PROGRESS);
    stream.close();
    await eventually(async () => {
      const { rows } = await sql`select from listeners where user_id = ${ana.id}`.execute(
        here.database.query(),
      );
      return rows.length === 0;
    });
  });

  it('is completed when the service stops', async () => {
    const here = await world({});
    const stream = await streamOf(await here.newUser(), PROGRESS);
    await here.live.close();
    expect(await stream.next()).toBeUndefined();
  });
});
