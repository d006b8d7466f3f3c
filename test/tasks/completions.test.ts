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

  it('adds the points of the task to the points of the user', async () => {
    const { newUser } = await world();
    const ana = await newUser();
    await ana.completes(await ana.hasTask({ points: 2.5 }));
    await ana.completes(await ana.hasTask());
    expect(await ana.profile()).toMatchObject({ points: 12.5 });
  });

  it.each([
    [[0.1, 0.2], 0.3],
    [[0.1, 0.1, 0.1], 0.3],
    [[1.1, 2.2], 3.3],
    [[1_000_000_000, 0.01], 1_000_000_000.01],
    [[1e-7, 2e-7], 3e-7],
    [[1_000_000_000, 1e-7], 1_000_000_000.0000001],
    [[5e-324, 1], 1],
    [Array(10).fill(0.7), 7],
  ])('sums fractions exactly: %j', async (awards, sum) => {
    const { newUser } = await world();
    const ana = await newUser();
    for (const points of awards) await ana.completes(await ana.hasTask({ points }));
    const { points } = await ana.profile();
    expect(points).toBe(sum);
  });

  it('may be done many times a day: each is recorded, counted and awards points', async () => {
    const { newUser } = await world();
    const ana = await newUser();
    const [swim, run] = [await ana.hasTask({ points: 3 }), await ana.hasTask({ points: 4 })];
    const ids = [];
    for (const task of [swim, swim, run, swim]) ids.push((await ana.completes(task)).body.id);
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
    expect([await countOf(ana, swim), await countOf(ana, run)]).toEqual([3, 1]);
    expect(await ana.profile()).toMatchObject({ points: 13 });
  });

  it('awards what the task is worth at that time', async () => {
    const { newUser } = await world();
    const ana = await newUser();
    const swim = await ana.hasTask({ points: 1 });
    await ana.completes(swim);
    await ana.rest.put(`/api/tasks/${swim.id}`, { points: 20 });
    expect(await ana.profile()).toMatchObject({ points: 1 });
    await ana.completes(swim);
    expect(await ana.profile()).toMatchObject({ points: 21 });
  });

  it('leaves the updated_at of user and task alone', async () => {
    const { clock, newUser } = await world();
    const ana = await newUser();
    const swim = await ana.hasTask();
    const { updated_at } = await ana.profile();
    clock.advance({ hours: 1 });
    await ana.completes(swim);
    expect(await ana.profile()).toMatchObject({ updated_at });
    expect((await ana.rest.get('/api/tasks/me')).body).toEqual([{ task: swim, completion_count: 1 }]);
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

  it('refuses another user’s task with 400, and nobody’s counters change', async () => {
    const { newUser } = await world();
    const [ana, bea] = [await newUser(), await newUser()];
    const swim = await ana.hasTask();
    expect(await bea.completes(swim)).toEqual(refusal(400, "This task doesn't belong to you"));
    for (const user of [ana, bea])
      expect(await user.profile()).toMatchObject({ points: 0, current_streak: 0 });
    expect(await countOf(ana, swim)).toBe(0);
  });

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

describe('The streak', () => {
  const streaks = async (user: TestUser) => {
    const { current_streak, max_streak } = await user.profile();
    return [current_streak, max_streak];
  };

  it('rises by 1 with the first completion of a UTC day and not again that day, whichever task', async () => {
    const { clock, newUser } = await world();
    const ana = await newUser();
    const [swim, run] = [await ana.hasTask(), await ana.hasTask()];
    expect(await streaks(ana)).toEqual([0, 0]);
    for (const [at, streak] of [
      ['2026-11-21T23:59:59.999Z', 1],
      ['2026-11-22T00:00:00.000Z', 2],
      ['2026-11-22T23:59:59.999Z', 2],
      ['2026-11-23T00:00:00.000Z', 3],
    ] as const) {
      clock.set(at);
      for (const task of [swim, run, swim]) {
        await ana.completes(task);
        expect(await streaks(ana), at).toEqual([streak, streak]);
      }
    }
  });

  it('is only raised by a completion: until the nightly job ran it counts on after a missed day', async () => {
    const { clock, newUser } = await world();
    const ana = await newUser();
    const swim = await ana.hasTask();
    await ana.completes(swim);
    clock.advance({ days: 3 });
    expect(await streaks(ana)).toEqual([1, 1]);
    await ana.completes(swim);
    expect(await streaks(ana)).toEqual([2, 2]);
  });
});

describe('An Idempotency-Key', () => {
  it('sent again with the same task brings the first body again, marked, and counts nothing', async () => {
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

  it('sent with another task is refused and counts nothing', async () => {
    const { newUser } = await world();
    const ana = await newUser();
    const [swim, run] = [await ana.hasTask(), await ana.hasTask()];
    await ana.completes(swim, { [KEY]: 'monday' });
    expect(await ana.completes(run, { [KEY]: 'monday' })).toEqual(refusal(400));
    expect(await ana.profile()).toMatchObject({ points: 10 });
    expect(await countOf(ana, run)).toBe(0);
  });

  it('hides no missing task and no task of another user', async () => {
    const { newUser } = await world();
    const [ana, bea] = [await newUser(), await newUser()];
    await ana.completes(await ana.hasTask(), { [KEY]: 'monday' });
    expect(await ana.completes({ id: 88_888_888 }, { [KEY]: 'monday' })).toEqual(
      refusal(404, 'Task not found'),
    );
    expect(await ana.completes(await bea.hasTask(), { [KEY]: 'monday' })).toEqual(refusal(400));
  });

  it('belongs to one user', async () => {
    const { newUser } = await world();
    const [ana, bea] = [await newUser(), await newUser()];
    const { body: hers } = await ana.completes(await ana.hasTask(), { [KEY]: 'monday' });
    const { status, body, headers } = await bea.completes(await bea.hasTask(), { [KEY]: 'monday' });
    expect({ status, replayed: headers.has('idempotent-replayed') }).toEqual({
      status: 201,
      replayed: false,
    });
    expect(body.id).not.toBe(hers.id);
    expect(await bea.profile()).toMatchObject({ points: 10 });
  });

  it('is taken by a success only', async () => {
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

  it('is compared in every character, case included, and need not be sent', async () => {
    const { newUser } = await world();
    const ana = await newUser();
    const swim = await ana.hasTask();
    const keys: (Record<string, string> | undefined)[] = [
      { [KEY]: 'a' },
      { [KEY]: 'A' },
      { [KEY]: 'a,a' },
      {},
      {},
      undefined,
    ];
    const ids = [];
    for (const key of keys) ids.push((await ana.completes(swim, key)).body.id);
    expect(new Set(ids).size).toBe(keys.length);
    expect(await countOf(ana, swim)).toBe(keys.length);
  });

  it.each(['x', 'x'.repeat(255), String.raw`!"#$%&'()*+,-./09:;<=>?@AZ[\]^_az{|}~`])(
    'may be %s',
    async (key) => {
      const { newUser } = await world();
      const ana = await newUser();
      const swim = await ana.hasTask();
      const first = await ana.completes(swim, { [KEY]: key });
      expect(first).toMatchObject({ status: 201 });
      expect((await ana.completes(swim, { [KEY]: key })).text).toBe(first.text);
    },
  );

  it.each(['', 'x'.repeat(256), 'two words', 'tab\tbed', 'é', '\u00a0'])('may not be %j', async (key) => {
    const { newUser } = await world();
    const ana = await newUser();
    const swim = await ana.hasTask();
    expect(await ana.completes(swim, { [KEY]: key })).toEqual(refusal(400, expect.stringMatching(/key/i)));
    expect(await countOf(ana, swim)).toBe(0);
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

  it('is the same on both faces', async () => {
    const { newUser } = await world();
    const ana = await newUser();
    const swim = await ana.hasTask();
    const complete = (key: string): Promise<{ completeTask: object }> =>
      ana.graphql.request(
        `mutation ($id: ID!, $key: String) {
          completeTask(taskId: $id, idempotencyKey: $key) { completion { id } replayed }
        }`,
        { id: swim.id, key },
      );
    const { body } = await ana.completes(swim, { [KEY]: 'rest' });
    const completion = { id: String(body.id) };
    expect(await complete('rest')).toEqual({ completeTask: { completion, replayed: true } });
    await complete('graphql');
    expect((await ana.completes(swim, { [KEY]: 'graphql' })).headers.get('idempotent-replayed')).toBe('true');
    expect(await ana.profile()).toMatchObject({ points: 20 });
  });
});
