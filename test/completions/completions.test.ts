import { describe, expect, it } from 'vitest';
import { apis, type Person, refused, worldOf } from '../support/apis.js';
import { worldOf as worldOfBoth } from '../support/world.js';

const COMPLETE = `mutation ($id: ID!, $key: String) {
  completeTask(taskId: $id, idempotencyKey: $key) { completion { id } user { points } isReplayed }
}`;

const countsOf = async (user: Person) => (await user.tasks()).map(({ completionCount }) => completionCount);
const countersOf = async (user: Person) => {
  const { points, currentStreak, maxStreak } = await user.profile();
  return [points, currentStreak, maxStreak];
};

describe.each(apis)('Completing a task, over %s', (api) => {
  it('is recorded at its time, adds its points, starts a streak, and is no change of user or task', async () => {
    const { ana, clock } = await worldOf(api, 'ana');
    const swim = await ana.createsTask({ points: 2.5 });
    const { updatedAt } = await ana.profile();
    clock.set('2026-11-22T23:59:59.999Z');
    expect(await ana.completes(swim)).toEqual({
      ...{ id: expect.stringMatching(/^[1-9]\d*$/), taskId: swim.id, isReplayed: false },
      completedAt: '2026-11-22T23:59:59.999Z',
    });
    expect(await ana.profile()).toMatchObject({ points: 2.5, currentStreak: 1, maxStreak: 1, updatedAt });
    expect(await ana.tasks()).toEqual([{ ...swim, completionCount: 1 }]);
  });

  it('awards what the task is worth at that time, and fractions add up exactly', async () => {
    const { ana } = await worldOf(api, 'ana');
    const swim = await ana.createsTask();
    for (const [points, total] of [
      [0.1, 0.1],
      [0.2, 0.3],
      [1e-7, 0.3000001],
      [1_000_000_000, 1_000_000_000.3000001],
    ] as const) {
      await ana.changesTask(swim, { points });
      await ana.completes(swim);
      expect(await ana.profile()).toMatchObject({ points: total });
    }
  });

  it('may be done many times a day, also at once: each is recorded and awards points, the day counts once', async () => {
    const { ana } = await worldOf(api, 'ana');
    const [swim, run] = [await ana.createsTask({ points: 0.5 }), await ana.createsTask({ points: 4 })];
    const first = await ana.completes(run);
    const all = await Promise.all(Array.from({ length: 20 }, () => ana.completes(swim)));
    const last = await ana.completes(run);
    expect(new Set(all.map(({ id }) => id)).size).toBe(20);
    for (const { id } of all)
      expect(Number(first.id) < Number(id) && Number(id) < Number(last.id)).toBe(true);
    expect(await countsOf(ana)).toEqual([20, 2]);
    expect(await countersOf(ana)).toEqual([18, 1, 1]);
  });
});

describe.each(apis)('The streak, over %s', (api) => {
  it('rises by 1 with the first completion of a UTC day and not again that day, whichever task', async () => {
    const { ana, clock } = await worldOf(api, 'ana');
    const [swim, run] = [await ana.createsTask(), await ana.createsTask()];
    expect(await countersOf(ana)).toEqual([0, 0, 0]);
    for (const [at, streak] of [
      ['2026-11-21T23:59:59.999Z', 1],
      ['2026-11-22T00:00:00.000Z', 2],
      ['2026-11-22T23:59:59.999Z', 2],
      ['2026-11-23T00:00:00.000Z', 3],
    ] as const) {
      clock.set(at);
      for (const task of [swim, run, swim]) {
        await ana.completes(task);
        expect((await countersOf(ana)).slice(1), at).toEqual([streak, streak]);
      }
    }
  });
});

describe.each(apis)('An idempotency key, over %s', (api) => {
  it('brings the first completion again, marked as replayed, and counts nothing, whatever happened since', async () => {
    const { ana, clock } = await worldOf(api, 'ana');
    const swim = await ana.createsTask({ points: 3 });
    const first = await ana.completes(swim, 'monday');
    await ana.changesTask(swim, { title: 'Run', points: 20 });
    for (const days of [0, 20]) {
      clock.advance({ days });
      expect(await ana.completes(swim, 'monday')).toEqual({ ...first, isReplayed: true });
    }
    expect(await countersOf(ana)).toEqual([3, 1, 1]);
    expect(await countsOf(ana)).toEqual([1]);
  });

  it('counts once, however many requests with it arrive at once', async () => {
    const { ana } = await worldOf(api, 'ana');
    const swim = await ana.createsTask();
    const all = await Promise.all(Array.from({ length: 8 }, () => ana.completes(swim, 'monday')));
    expect(new Set(all.map(({ id }) => id)).size).toBe(1);
    expect(all.filter(({ isReplayed }) => !isReplayed)).toHaveLength(1);
    expect(await ana.profile()).toMatchObject({ points: 10 });
  });

  it('belongs to one user, and is used up by a success only', async () => {
    const { ana, bea } = await worldOf(api, 'ana', 'bea');
    const hers = await bea.completes(await bea.createsTask(), 'monday');
    await expect(ana.completes({ id: '999999999999' }, 'monday')).rejects.toEqual(refused('missing'));
    const ofOthers = refused(api === 'REST' ? 'invalid' : 'missing');
    await expect(ana.completes(await bea.createsTask(), 'monday')).rejects.toEqual(ofOthers);
    const own = await ana.completes(await ana.createsTask(), 'monday');
    expect([own.isReplayed, own.id === hers.id]).toEqual([false, false]);
    for (const each of [ana, bea]) expect(await each.profile()).toMatchObject({ points: 10 });
  });

  it('is compared in every character, case included, and need not be sent', async () => {
    const { ana } = await worldOf(api, 'ana');
    const swim = await ana.createsTask();
    const signs = String.raw`!"#$%&'()*+,-./09:;<=>?@AZ[\]^_az{|}~\``;
    const keys = ['a', 'A', 'a,a', '!', '~'.repeat(255), signs];
    const ids = [];
    for (const key of [...keys, undefined, undefined]) ids.push((await ana.completes(swim, key)).id);
    expect(new Set(ids).size).toBe(keys.length + 2);
    for (const [index, key] of keys.entries())
      expect(await ana.completes(swim, key)).toMatchObject({ id: ids[index], isReplayed: true });
  });
});

it('An idempotency key is the same over both APIs, a header over REST, and none when it is null', async () => {
  const { ana } = await worldOfBoth('ana');
  const { id } = await ana.hasTask();
  const complete = async (key: string | null) => (await ana.query(COMPLETE, { id, key })).completeTask;
  const { body } = await ana.completes({ id }, { 'Idempotency-Key': 'over-rest' });
  const again = { completion: { id: `${body.id}` }, isReplayed: true };
  expect(await complete('over-rest')).toMatchObject(again);
  const { completion } = await complete('over-graphql');
  const answer = await ana.completes({ id }, { 'Idempotency-Key': 'over-graphql' });
  expect([`${answer.body.id}`, answer.headers.get('idempotent-replayed')]).toEqual([completion.id, 'true']);
  for (const points of [30, 40]) expect((await complete(null)).user).toEqual({ points });
  for (const points of [50, 60]) {
    await ana.rest.post('/api/task-completions', {
      task_id: id,
      idempotencyKey: 'a',
      'Idempotency-Key': 'a',
    });
    expect(await ana.profile()).toMatchObject({ points });
  }
});

it('POST /api/task-completions answers 201 with the completion, its fields in the order of the spec', async () => {
  const { ana, clock } = await worldOfBoth('ana');
  const swim = await ana.hasTask();
  clock.set('2026-12-03T04:05:06.789Z');
  const { status, body } = await ana.completes(swim);
  expect([status, ...Object.entries(body)]).toEqual([
    ...[201, ['id', expect.any(Number)], ['task_id', swim.id], ['user_id', ana.id]],
    ['completed_at', '2026-12-03T04:05:06.789Z'],
  ]);
});
