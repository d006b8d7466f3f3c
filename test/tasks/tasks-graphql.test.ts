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
const someoneElses = refused('BAD_USER_INPUT', "This task doesn't belong to you");

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

  it('keeps everything that is given, exactly as sent', async () => {
    const { newUser } = await world();
    const ana = await newUser();
    const input = { title: ' Nage libre 🏊 ', description: '', points: 0.001, isDailyRoutine: true };
    const task = await create(ana, input);
    expect(task).toMatchObject(input);
    expect(await find(ana, task.id)).toEqual(task);
  });

  it('takes null for description and template as nothing given', async () => {
    const { newUser } = await world();
    const task = await create(await newUser(), { description: null, challengeTemplateId: null });
    expect(task).toMatchObject({ description: null, challengeTemplate: null });
  });

  it.each([
    ['title', { title: '🏊'.repeat(500) }],
    ['description', { description: '🏊'.repeat(10_000) }],
    ['points', { points: 1_000_000_000 }],
  ])('takes a %s at its limit', async (_name, input) => {
    const { newUser } = await world();
    expect(await create(await newUser(), input)).toMatchObject(input);
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

  it('refuses a template without an ACTIVE challenge for it', async () => {
    const { newUser } = await world();
    const ana = await newUser();
    await ana.hasAccepted(2);
    await expect(create(ana, { challengeTemplateId: '1' })).rejects.toMatchObject(
      refused(
        'BAD_USER_INPUT',
        "You don't have an active challenge for this template",
        'challengeTemplateId',
      ),
    );
  });

  it('says of an unknown template that it was not found', async () => {
    const { newUser } = await world();
    await expect(create(await newUser(), { challengeTemplateId: '999' })).rejects.toMatchObject(
      refused('NOT_FOUND', 'Challenge template not found'),
    );
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

  it('clears the description by null', async () => {
    const { newUser } = await world();
    const ana = await newUser();
    const { id } = await create(ana, { description: 'Before breakfast' });
    expect(await update(ana, id, { description: null })).toMatchObject({ description: null });
  });

  it('refreshes only the time of the update when nothing is given', async () => {
    const { clock, newUser } = await world();
    const ana = await newUser();
    const before = await create(ana);
    clock.advance({ seconds: 1 });
    expect(await update(ana, before.id, {})).toEqual({ ...before, updatedAt: clock.now().toISOString() });
  });

  it('changes what later completions are worth, not what earlier ones were', async () => {
    const { newUser } = await world();
    const ana = await newUser();
    const { id } = await create(ana, { points: 5 });
    await complete(ana, id);
    await update(ana, id, { points: 7.25 });
    expect((await complete(ana, id)).completion.points).toBe(7.25);
    expect(await counters(ana)).toMatchObject({ points: 12.25 });
  });

  it.each([
    ['title', '\t', 'Title must not be blank'],
    ['description', '\ud800', 'Description must be well-formed Unicode'],
    ['points', 0, 'Points must be greater than zero'],
  ])('refuses as %s %j and changes nothing', async (field, value, message) => {
    const { clock, newUser } = await world();
    const ana = await newUser();
    const before = await create(ana);
    clock.advance({ seconds: 1 });
    const change = update(ana, before.id, { isDailyRoutine: true, [field]: value });
    await expect(change).rejects.toMatchObject(refused('BAD_USER_INPUT', message, field));
    expect(await find(ana, before.id)).toEqual(before);
  });

  it("refuses another user's task and leaves it as it is", async () => {
    const { newUser } = await world();
    const [ana, bea] = [await newUser(), await newUser()];
    const before = await create(bea);
    await expect(update(ana, before.id, { title: 'Mine' })).rejects.toMatchObject(someoneElses);
    expect(await find(bea, before.id)).toEqual(before);
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

  it('sums fractions exactly', async () => {
    const { newUser } = await world();
    const ana = await newUser();
    const { id } = await create(ana, { points: 0.1 });
    for (let times = 0; times < 3; times += 1) await complete(ana, id);
    expect(await counters(ana)).toMatchObject({ points: 0.3 });
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

  it('counts each of many at once', async () => {
    const { newUser } = await world();
    const ana = await newUser();
    const { id } = await create(ana, { points: 0.5 });
    const all = await Promise.all(Array.from({ length: 20 }, () => complete(ana, id)));
    expect(new Set(all.map(({ completion }) => completion.id)).size).toBe(20);
    expect(await counters(ana)).toEqual({ points: 10, currentStreak: 1, maxStreak: 1 });
    expect((await find(ana, id)).completionCount).toBe(20);
  });

  it("refuses another user's task and counts nothing for either", async () => {
    const { newUser } = await world();
    const [ana, bea] = [await newUser(), await newUser()];
    const { id } = await create(bea);
    await expect(complete(ana, id)).rejects.toMatchObject(someoneElses);
    const none = { points: 0, currentStreak: 0, maxStreak: 0 };
    expect([await counters(ana), await counters(bea)]).toEqual([none, none]);
    expect((await find(bea, id)).completionCount).toBe(0);
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

  it('counts once, however many arrive at once', async () => {
    const { newUser } = await world();
    const ana = await newUser();
    const { id } = await create(ana);
    const all = await Promise.all(Array.from({ length: 8 }, () => complete(ana, id, 'key-1')));
    expect(new Set(all.map(({ completion }) => completion.id)).size).toBe(1);
    expect(all.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(await counters(ana)).toMatchObject({ points: 10 });
  });

  it('is the same over both faces', async () => {
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

  it('is refused for another task, and counts nothing', async () => {
    const { newUser } = await world();
    const ana = await newUser();
    const [swim, run] = [await create(ana), await create(ana)];
    await complete(ana, swim.id, 'key-1');
    await expect(complete(ana, run.id, 'key-1')).rejects.toMatchObject(
      refused('BAD_USER_INPUT', 'Idempotency key was used for another task', 'idempotencyKey'),
    );
    expect(await counters(ana)).toMatchObject({ points: 10 });
  });

  it('belongs to its user alone', async () => {
    const { newUser } = await world();
    const [ana, bea] = [await newUser(), await newUser()];
    await complete(ana, (await create(ana)).id, 'key-1');
    expect(await complete(bea, (await create(bea)).id, 'key-1')).toMatchObject({ replayed: false });
  });

  it('is not taken by a refusal', async () => {
    const { newUser } = await world();
    const ana = await newUser();
    await expect(complete(ana, '999999999999', 'key-1')).rejects.toMatchObject(
      refused('NOT_FOUND', 'Task not found'),
    );
    expect(await complete(ana, (await create(ana)).id, 'key-1')).toMatchObject({ replayed: false });
  });

  it('is none when it is null', async () => {
    const { newUser } = await world();
    const ana = await newUser();
    const { id } = await create(ana);
    await complete(ana, id, null);
    expect(await complete(ana, id, null)).toMatchObject({ replayed: false, user: { points: 20 } });
  });

  it.each([
    ['one character', '!'],
    ['255 characters', '~'.repeat(255)],
  ])('may have %s', async (_name, key) => {
    const { newUser } = await world();
    const ana = await newUser();
    const { id } = await create(ana);
    await complete(ana, id, key);
    expect(await complete(ana, id, key)).toMatchObject({ replayed: true });
  });

  it.each([[''], ['a b'], ['é'], ['a\n'], ['\x7f'], ['k'.repeat(256)]])('is refused as %j', async (key) => {
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
