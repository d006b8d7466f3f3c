import { describe, expect, it } from 'vitest';
import { type TestUser, world } from '../support/world.js';

const TASK = `id title description points isDailyRoutine challengeTemplate { id title durationDays }
  createdAt updatedAt completionCount lastCompletedAt`;
const CREATE = `mutation ($input: CreateTaskInput!) { createTask(input: $input) { task { ${TASK} } } }`;
const UPDATE = `mutation ($id: ID!, $input: UpdateTaskInput!) {
  updateTask(id: $id, input: $input) { task { ${TASK} } }
}`;
const COMPLETE = `mutation ($taskId: ID!, $key: String) {
  completeTask(taskId: $taskId, idempotencyKey: $key) {
    completion { id points completedAt task { id title } }
    task { ${TASK} }
    user { id points currentStreak maxStreak updatedAt }
    replayed
  }
}`;
const FIND = `query ($id: ID!) { task(id: $id) { ${TASK} } }`;
const COUNTERS = '{ me { points currentStreak maxStreak } }';

const create = async ({ graphql }: TestUser, input: object = {}) =>
  (await graphql.request(CREATE, { input: { title: 'Swim', ...input } })).createTask.task;
const update = async ({ graphql }: TestUser, id: string, input: object) =>
  (await graphql.request(UPDATE, { id, input })).updateTask.task;
const complete = async ({ graphql }: TestUser, taskId: string, key?: string | null) =>
  (await graphql.request(COMPLETE, { taskId, key })).completeTask;
const find = async ({ graphql }: TestUser, id: string) => (await graphql.request(FIND, { id })).task;
const counters = async ({ graphql }: TestUser) => (await graphql.request(COUNTERS)).me;

const refused = (code: string, message: string, field?: string) => ({
  response: {
    errors: [{ message, extensions: { code, ...(field && { fields: [{ name: field, message }] }) } }],
  },
});

describe('createTask', () => {
  it('makes a task of 10 points that is no daily routine, unless told otherwise', async () => {
    const { clock, newUser } = await world();
    clock.set('2026-11-21T08:30:00.000Z');
    expect(await create(await newUser())).toEqual({
      id: expect.stringMatching(/^[1-9]\d*$/),
      title: 'Swim',
      description: null,
      points: 10,
      isDailyRoutine: false,
      challengeTemplate: null,
      createdAt: '2026-11-21T08:30:00.000Z',
      updatedAt: '2026-11-21T08:30:00.000Z',
      completionCount: 0,
      lastCompletedAt: null,
    });
  });

  it('refuses points beyond all numbers, written into the document', async () => {
    const { newUser } = await world();
    const document = 'mutation { createTask(input: { title: "Swim", points: 1e400 }) { task { id } } }';
    await expect((await newUser()).graphql.request(document)).rejects.toMatchObject({
      response: { errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] },
    });
  });

  it.each([['2'], [2]])('links the task to the template %j of an ACTIVE challenge', async (id) => {
    const { newUser } = await world();
    const ana = await newUser();
    await ana.hasAccepted(2);
    const { challengeTemplate } = await create(ana, { challengeTemplateId: id });
    expect(challengeTemplate).toEqual({ id: '2', title: expect.any(String), durationDays: 21 });
  });
});

describe('updateTask', () => {
  it('changes what is given and nothing else', async () => {
    const { clock, newUser } = await world();
    const ana = await newUser();
    const before = await create(ana, { description: 'Before breakfast', points: 5, isDailyRoutine: true });
    clock.set('2026-11-22T07:00:00.001Z');
    const after = { ...before, title: 'Run', updatedAt: '2026-11-22T07:00:00.001Z' };
    expect(await update(ana, before.id, { title: 'Run' })).toEqual(after);
    expect(await find(ana, before.id)).toEqual(after);
  });
});

describe('completeTask', () => {
  it('answers the completion, and the task and the user as they are now', async () => {
    const { clock, newUser } = await world();
    const ana = await newUser();
    const task = await create(ana, { points: 2.5 });
    const { updatedAt } = await ana.graphql.request('{ me { updatedAt } }').then(({ me }) => me);
    clock.set('2026-11-22T23:59:59.999Z');

    expect(await complete(ana, task.id)).toEqual({
      completion: {
        id: expect.stringMatching(/^[1-9]\d*$/),
        points: 2.5,
        completedAt: '2026-11-22T23:59:59.999Z',
        task: { id: task.id, title: 'Swim' },
      },
      task: { ...task, completionCount: 1, lastCompletedAt: '2026-11-22T23:59:59.999Z' },
      user: { id: ana.id, points: 2.5, currentStreak: 1, maxStreak: 1, updatedAt },
      replayed: false,
    });
  });

  it('counts every completion of a day, and the day once', async () => {
    const { newUser } = await world();
    const ana = await newUser();
    const [swim, run] = [await create(ana), await create(ana, { title: 'Run', points: 1 })];
    await complete(ana, swim.id);
    await complete(ana, swim.id);
    const { task, user } = await complete(ana, run.id);
    expect(task.completionCount).toBe(1);
    expect(user).toMatchObject({ points: 21, currentStreak: 1, maxStreak: 1 });
    expect((await find(ana, swim.id)).completionCount).toBe(2);
  });

  it('carries out several in one request one after the other', async () => {
    const { newUser } = await world();
    const ana = await newUser();
    const { id } = await create(ana);
    const one = (alias: string) => `${alias}: completeTask(taskId: "${id}") { task { completionCount } }`;
    expect(await ana.graphql.request(`mutation { ${one('a')} ${one('b')} }`)).toEqual({
      a: { task: { completionCount: 1 } },
      b: { task: { completionCount: 2 } },
    });
  });
});

describe('An idempotency key', () => {
  it('answers the first completion again and counts nothing, whatever happened since', async () => {
    const { clock, newUser } = await world();
    const ana = await newUser();
    const { id } = await create(ana, { points: 5 });
    const first = await complete(ana, id, 'key-1');
    clock.advance({ days: 1 });
    await update(ana, id, { title: 'Run', points: 7 });
    await complete(ana, id);

    const again = await complete(ana, id, 'key-1');

    expect(again.completion).toEqual({ ...first.completion, task: { id, title: 'Run' } });
    expect(again).toMatchObject({
      task: { title: 'Run', points: 7, completionCount: 2 },
      user: { points: 12, currentStreak: 2, maxStreak: 2 },
      replayed: true,
    });
  });

  it('is the same over both APIs', async () => {
    const { newUser } = await world();
    const ana = await newUser();
    const { id } = await create(ana);
    const { body } = await ana.completes({ id: Number(id) }, { 'Idempotency-Key': 'over-rest' });
    const again = await complete(ana, id, 'over-rest');
    expect(again).toMatchObject({ completion: { id: String(body.id) }, replayed: true });
    const { completion } = await complete(ana, id, 'over-graphql');
    const answer = await ana.completes({ id: Number(id) }, { 'Idempotency-Key': 'over-graphql' });
    expect(answer.body.id).toBe(Number(completion.id));
    expect(answer.headers.get('idempotent-replayed')).toBe('true');
    expect(await counters(ana)).toMatchObject({ points: 20 });
  });

  it('counts as none when it is null', async () => {
    const { newUser } = await world();
    const ana = await newUser();
    const { id } = await create(ana);
    await complete(ana, id, null);
    expect(await complete(ana, id, null)).toMatchObject({ replayed: false, user: { points: 20 } });
  });

  // No header could carry these.
  it.each([['a\n'], ['\x7f']])('is refused as %j', async (key) => {
    const { newUser } = await world();
    const ana = await newUser();
    const { id } = await create(ana);
    await expect(complete(ana, id, key)).rejects.toMatchObject(
      refused(
        'BAD_USER_INPUT',
        'Idempotency key must be 1 to 255 visible ASCII characters',
        'idempotencyKey',
      ),
    );
  });
});
