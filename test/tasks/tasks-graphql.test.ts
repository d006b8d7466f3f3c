import { describe, expect, it } from 'vitest';
import { type TestUser, worldOf } from '../support/world.js';

const TASK = `id title description points isDailyRoutine challengeTemplate { id title durationDays }
  createdAt updatedAt completionCount lastCompletedAt`;
const CREATE = `mutation ($input: CreateTaskInput!) { createTask(input: $input) { task { ${TASK} } } }`;
const COMPLETE = `mutation ($taskId: ID!, $key: String) {
  completeTask(taskId: $taskId, idempotencyKey: $key) {
    completion { id points completedAt task { id title } }
    task { ${TASK} }
    user { id points currentStreak maxStreak updatedAt }
    isReplayed
  }
}`;
const COUNTERS = '{ me { points currentStreak maxStreak } }';

const create = async ({ graphql }: TestUser, input: object = {}) =>
  (await graphql.request(CREATE, { input: { title: 'Swim', ...input } })).createTask.task;
const complete = async ({ graphql }: TestUser, taskId: string, key?: string | null) =>
  (await graphql.request(COMPLETE, { taskId, key })).completeTask;
const counters = async ({ graphql }: TestUser) => (await graphql.request(COUNTERS)).me;

describe('completeTask', () => {
  it('answers the completion, and the task and the user as they are now', async () => {
    const { ana, clock } = await worldOf('ana');
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
      isReplayed: false,
    });
  });

  it('carries out several in one request one after the other', async () => {
    const { ana } = await worldOf('ana');
    const { id } = await create(ana);
    const one = (alias: string) => `${alias}: completeTask(taskId: "${id}") { task { completionCount } }`;
    expect(await ana.graphql.request(`mutation { ${one('a')} ${one('b')} }`)).toEqual({
      a: { task: { completionCount: 1 } },
      b: { task: { completionCount: 2 } },
    });
  });
});

describe('An idempotency key', () => {
  it('is the same over both APIs', async () => {
    const { ana } = await worldOf('ana');
    const { id } = await create(ana);
    const { body } = await ana.completes({ id: Number(id) }, { 'Idempotency-Key': 'over-rest' });
    const again = await complete(ana, id, 'over-rest');
    expect(again).toMatchObject({ completion: { id: String(body.id) }, isReplayed: true });
    const { completion } = await complete(ana, id, 'over-graphql');
    const answer = await ana.completes({ id: Number(id) }, { 'Idempotency-Key': 'over-graphql' });
    expect(answer.body.id).toBe(Number(completion.id));
    expect(answer.headers.get('idempotent-replayed')).toBe('true');
    expect(await counters(ana)).toMatchObject({ points: 20 });
  });

  it('counts as none when it is null', async () => {
    const { ana } = await worldOf('ana');
    const { id } = await create(ana);
    await complete(ana, id, null);
    expect(await complete(ana, id, null)).toMatchObject({ isReplayed: false, user: { points: 20 } });
  });
});
