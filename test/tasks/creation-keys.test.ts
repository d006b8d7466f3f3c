import { describe, expect, it } from 'vitest';
import { digestOf } from '../../src/features/habits/creation-digest.js';
import { type TestUser, worldOf } from '../support/world.js';

const CREATE = `mutation ($key: String, $input: CreateTaskInput!) {
  createTask(input: $input, idempotencyKey: $key) { isReplayed task { id title } }
}`;

const create = async (user: TestUser, key?: string | null, input: object = { title: 'Swim' }) =>
  (await user.query(CREATE, { key, input })).createTask;
const countOf = async (user: TestUser) => (await user.query('{ tasks { totalCount } }')).tasks.totalCount;

describe('A task that is created with an idempotency key', () => {
  it('is created once by requests that come one after the other, or at once', async () => {
    const { ana } = await worldOf('ana');
    const { task } = await create(ana, 'a');
    expect(await create(ana, 'a')).toEqual({ isReplayed: true, task });
    const atOnce = await Promise.all(Array.from({ length: 8 }, () => create(ana, 'b')));
    expect(new Set(atOnce.map((each) => each.task.id)).size).toBe(1);
    expect(atOnce.filter(({ isReplayed }) => !isReplayed)).toHaveLength(1);
    expect(await countOf(ana)).toBe(2);
  });

  it('is given by the same input, in whatever words, also when the task was edited since', async () => {
    const { ana } = await worldOf('ana');
    const target = { amount: 1, unit: 'km' };
    const { task } = await create(ana, 'a', { title: 'Swim', target });
    await ana.query(`mutation { updateTask(id: ${task.id}, input: { title: "Run" }) { task { id } } }`);
    for (const more of [
      { description: null },
      { challengeTemplateId: null, isDailyRoutine: false, points: 10, tags: [], icon: null },
      { target: { ...target, kind: 'AT_LEAST', per: 'DAY' } },
    ]) {
      const again = { isReplayed: true, task: { ...task, title: 'Run' } };
      expect(await create(ana, 'a', { title: 'Swim', target, ...more })).toEqual(again);
    }
    const perWeek = create(ana, 'a', { title: 'Swim', target: { ...target, per: 'WEEK' } });
    await expect(perWeek).rejects.toThrow('KEY_REUSED');
    // Nor does a new field with a default change a key.
    expect(digestOf({ title: 'Swim', priority: 0 }, { priority: 0 })).toBe(digestOf({ title: 'Swim' }));
    expect(digestOf({ title: 'Swim', priority: 1 }, { priority: 0 })).not.toBe(digestOf({ title: 'Swim' }));
  });

  it("is nobody else's, and without a key there are as many as are asked for, as in REST", async () => {
    const { ana, ben } = await worldOf('ana', 'ben');
    await create(ana, 'a');
    expect((await create(ben, 'a')).isReplayed).toBe(false);
    await create(ben);
    await create(ben, null);
    await ben.rest.post('/api/tasks', { title: 'Swim', idempotencyKey: 'a' }, { 'Idempotency-Key': 'a' });
    expect(await countOf(ben)).toBe(4);
  });
});
