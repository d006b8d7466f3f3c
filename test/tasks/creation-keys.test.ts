import { describe, expect, it } from 'vitest';
import { digestOf } from '../../src/features/habits/creation-digest.js';
import { worldOf } from '../support/world.js';

const CREATE = `mutation ($key: String) {
  createTask(input: { title: "Swim", points: 3 }, idempotencyKey: $key) { isReplayed task { id title } }
}`;

const LIST = '{ tasks { totalCount nodes { id } } }';

describe('A task that is created with an idempotency key', () => {
  it('is created once, however often it is asked for', async () => {
    const { ana } = await worldOf('ana');
    const first = await ana.query(CREATE, { key: 'a' });
    expect(first.createTask).toEqual({ isReplayed: false, task: { id: expect.any(String), title: 'Swim' } });
    expect((await ana.query(CREATE, { key: 'a' })).createTask).toEqual({
      ...first.createTask,
      isReplayed: true,
    });
    expect((await ana.query(CREATE, { key: 'b' })).createTask.isReplayed).toBe(false);
    expect((await ana.query(LIST)).tasks.totalCount).toBe(2);
  });

  it('is created once by requests that come at once', async () => {
    const { ana } = await worldOf('ana');
    const answers = await Promise.all(Array.from({ length: 8 }, () => ana.query(CREATE, { key: 'a' })));
    expect(new Set(answers.map(({ createTask }) => createTask.task.id)).size).toBe(1);
    expect(answers.filter(({ createTask }) => !createTask.isReplayed)).toHaveLength(1);
    expect((await ana.query(LIST)).tasks.nodes).toHaveLength(1);
  });

  it('is given by the same input, in whatever words, also when the task was edited since', async () => {
    const { ana } = await worldOf('ana');
    const create = `mutation ($input: CreateTaskInput!) { createTask(input: $input, idempotencyKey: "a") { isReplayed task { title } } }`;
    const target = { amount: 1, unit: 'km' };
    const { createTask } = await ana.query(create, { input: { title: 'Swim', target } });
    expect(createTask.isReplayed).toBe(false);
    const id = (await ana.query(LIST)).tasks.nodes[0].id;
    await ana.query('mutation ($id: ID!) { updateTask(id: $id, input: { title: "Run" }) { task { id } } }', {
      id,
    });
    for (const more of [
      { description: null },
      { challengeTemplateId: null, isDailyRoutine: false, points: 10, tags: [], icon: null },
      { target: { ...target, kind: 'AT_LEAST', per: 'DAY' } },
    ])
      expect((await ana.query(create, { input: { title: 'Swim', target, ...more } })).createTask).toEqual({
        isReplayed: true,
        task: { title: 'Run' },
      });
    expect((await ana.query(LIST)).tasks.totalCount).toBe(1);
    const perWeek = { title: 'Swim', target: { ...target, per: 'WEEK' } };
    await expect(ana.query(create, { input: perWeek })).rejects.toThrow('KEY_REUSED');
  });

  it('has a digest that a new field with a default does not change', () => {
    expect(digestOf({ title: 'Swim', priority: 0 }, { priority: 0 })).toBe(digestOf({ title: 'Swim' }));
    expect(digestOf({ title: 'Swim', priority: 1 }, { priority: 0 })).not.toBe(digestOf({ title: 'Swim' }));
  });

  it("is nobody else's, and without a key there are as many as are asked for", async () => {
    const { ana, ben } = await worldOf('ana', 'ben');
    await ana.query(CREATE, { key: 'a' });
    expect((await ben.query(CREATE, { key: 'a' })).createTask.isReplayed).toBe(false);
    await ben.query(CREATE);
    await ben.query(CREATE, { key: null });
    expect((await ben.query(LIST)).tasks.totalCount).toBe(3);
  });

  it('has none in REST, which is as specified', async () => {
    const { ana } = await worldOf('ana');
    for (const _ of [1, 2]) {
      const body = { title: 'Swim', idempotencyKey: 'a' };
      expect((await ana.rest.post('/api/tasks', body, { 'Idempotency-Key': 'a' })).status).toBe(201);
    }
    expect((await ana.query(LIST)).tasks.totalCount).toBe(2);
  });
});
