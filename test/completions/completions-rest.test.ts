import { describe, expect, it } from 'vitest';
import { refusal, type TestUser, world } from '../support/world.js';

const KEY = 'idempotency-key';
const countOf = async (user: TestUser, { id }: { id: number }): Promise<number> => {
  const tasks: { task: { id: number }; completion_count: number }[] = (await user.rest.get('/api/tasks/me'))
    .body;
  return tasks.find(({ task }) => task.id === id)?.completion_count ?? Number.NaN;
};

describe('POST /api/task-completions', () => {
  it('answers 201 with the completion, its fields in the order of the spec', async () => {
    const { clock, newUser } = await world();
    const ana = await newUser();
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

  it('takes time, points and user from the server, whatever the body claims', async () => {
    const { clock, newUser } = await world();
    const [ana, bea] = [await newUser(), await newUser()];
    const { id } = await ana.hasTask({ points: 1 });
    const claims = { id: 1, points: 99, user_id: bea.id, completed_at: '2000-01-01T00:00:00Z' };
    const { body } = await ana.rest.post('/api/task-completions', { task_id: id, ...claims });
    expect(body).toMatchObject({ user_id: ana.id, completed_at: clock.now().toISOString() });
    expect(await ana.profile()).toMatchObject({ points: 1 });
    expect(await bea.profile()).toMatchObject({ points: 0 });
  });

  it.each([88_888_888, 0, -1, 2 ** 53, 2 ** 64, 1e300])(
    'answers 404 when no task has the id %d',
    async (id) => {
      const { newUser } = await world();
      const ana = await newUser();
      expect(await ana.completes({ id })).toEqual(refusal(404, 'Task not found'));
      expect(await ana.profile()).toMatchObject({ points: 0, current_streak: 0, max_streak: 0 });
    },
  );

  it('refuses a task_id that is missing or no whole number', async () => {
    const { newUser } = await world();
    const ana = await newUser();
    const swim = await ana.hasTask();
    const values = [undefined, null, '', `${swim.id}`, swim.id + 0.5, true, [swim.id], { id: swim.id }];
    for (const task_id of values) {
      const answer = await ana.rest.post('/api/task-completions', { task_id });
      expect(answer, JSON.stringify(task_id)).toEqual(refusal(400, expect.stringMatching(/task/i)));
    }
    expect(await countOf(ana, swim)).toBe(0);
  });
});

describe('An Idempotency-Key', () => {
  it('sent again with the same task brings the first body again, marked as replayed, and counts nothing', async () => {
    const { clock, newUser } = await world();
    const ana = await newUser();
    const swim = await ana.hasTask({ points: 3 });
    const first = await ana.completes(swim, { [KEY]: 'monday' });
    expect(first.headers.has('idempotent-replayed')).toBe(false);
    await ana.rest.put(`/api/tasks/${swim.id}`, { points: 20 });
    for (const days of [0, 1, 20]) {
      clock.advance({ days });
      const { status, text, headers } = await ana.completes(swim, { [KEY]: 'monday' });
      expect({ status, text }).toEqual({ status: 201, text: first.text });
      expect(headers.get('idempotent-replayed')).toBe('true');
    }
    expect(await ana.profile()).toMatchObject({ points: 3, current_streak: 1, max_streak: 1 });
    expect(await countOf(ana, swim)).toBe(1);
  });

  it('is used up by a success only', async () => {
    const { newUser } = await world();
    const [ana, bea] = [await newUser(), await newUser()];
    const key = { [KEY]: 'monday' };
    await ana.completes({ id: 88_888_888 }, key);
    await ana.completes(await bea.hasTask(), key);
    await ana.rest.post('/api/task-completions', {}, key);
    await ana.rest.as('x').post('/api/task-completions', {}, key);
    const { status, headers } = await ana.completes(await ana.hasTask(), key);
    expect({ status, replayed: headers.has('idempotent-replayed') }).toEqual({
      status: 201,
      replayed: false,
    });
    expect(await ana.profile()).toMatchObject({ points: 10 });
  });

  it('is a header: in the body it is unknown and ignored', async () => {
    const { newUser } = await world();
    const ana = await newUser();
    const { id } = await ana.hasTask();
    const body = { task_id: id, idempotencyKey: 'a', idempotency_key: 'a', 'Idempotency-Key': 'a' };
    const answers = [1, 2].map(() => ana.rest.post('/api/task-completions', body));
    for (const { status } of await Promise.all(answers)) expect(status).toBe(201);
    expect(await countOf(ana, { id })).toBe(2);
  });
});
