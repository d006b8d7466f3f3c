import { describe, expect, it } from 'vitest';
import { type TestUser, worldOf } from '../support/world.js';

const countOf = async (user: TestUser, { id }: { id: number }): Promise<number> => {
  const tasks: { task: { id: number }; completion_count: number }[] = (await user.rest.get('/api/tasks/me'))
    .body;
  return tasks.find(({ task }) => task.id === id)?.completion_count ?? Number.NaN;
};

describe('POST /api/task-completions', () => {
  it('answers 201 with the completion, its fields in the order of the spec', async () => {
    const { ana, clock } = await worldOf('ana');
    const swim = await ana.hasTask();
    clock.set('2026-12-03T04:05:06.789Z');
    const { status, body } = await ana.rest.post('/api/task-completions', { task_id: swim.id });
    expect(status).toBe(201);
    expect(Object.entries(body)).toEqual(
      Object.entries({
        id: expect.any(Number),
        task_id: swim.id,
        user_id: ana.id,
        completed_at: '2026-12-03T04:05:06.789Z',
      }),
    );
  });
});

describe('An Idempotency-Key', () => {
  it('is a header: in the body it is unknown and ignored', async () => {
    const { ana } = await worldOf('ana');
    const { id } = await ana.hasTask();
    const body = { task_id: id, idempotencyKey: 'a', idempotency_key: 'a', 'Idempotency-Key': 'a' };
    const answers = [1, 2].map(() => ana.rest.post('/api/task-completions', body));
    for (const { status } of await Promise.all(answers)) expect(status).toBe(201);
    expect(await countOf(ana, { id })).toBe(2);
  });
});
