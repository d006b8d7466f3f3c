import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { driftsOf } from '../support/drifts.js';
import { eventually } from '../support/eventually.js';
import { holding, lockWaits } from '../support/locks.js';
import { type TestUser, world } from '../support/world.js';

const BECAME = 'isReplayed isDoneAlready completion { id day amount note }';

const ONCE = `mutation ($id: ID!, $key: String, $at: DateTime, $amount: Float, $note: String) {
  completeTask(taskId: $id, idempotencyKey: $key, at: $at, amount: $amount, note: $note, once: true) {
    ${BECAME} task { completionCount } user { points currentStreak streak { count } }
  }
}`;

const SEVERAL = `mutation ($input: [CompletionInput!]!) {
  completeTasks(input: $input) {
    results { ${BECAME} task { completionCount } error { reason } } user { points }
  }
}`;

const MORE = `mutation ($id: ID!, $at: DateTime) { completeTask(taskId: $id, at: $at) { ${BECAME} } }`;

const UNDO = 'mutation ($id: ID!) { undoCompletion(id: $id) { completionId } }';

async function swimmer() {
  const here = await world();
  here.clock.set('2026-11-21T12:00:00.000Z');
  const ana = await here.newUser();
  const id = `${(await ana.hasTask({ points: 2.5 })).id}`;
  const once = async (more: object = {}) => (await ana.query(ONCE, { id, ...more })).completeTask;
  const several = async (input: object[]) => (await ana.query(SEVERAL, { input })).completeTasks;
  const refused = async (more: object) =>
    (await ana.rest.ask(ONCE, { id, ...more })).errors[0].extensions.reason;
  const count = async () =>
    (await ana.query('query ($id: ID!) { task(id: $id) { completionCount } }', { id })).task.completionCount;
  const drifts = () => driftsOf(here, ana);
  return { here, ana, id, once, several, refused, count, drifts };
}

async function twoServices() {
  const there = await world();
  const swim = await swimmer();
  const { database, renewed } = swim.here;
  there.clock.set(swim.here.clock.now().toISOString());
  const devices = [renewed(swim.ana), there.renewed(swim.ana)] as const;
  /** Holds all back until several wait, so that none of them sees another one's completion before its turn. */
  const atOnce = async <Answer>(
    count: number,
    send: (device: TestUser, number: number) => Promise<Answer>,
  ) => {
    const counters = sql`select from user_progress where user_id = ${swim.ana.id} for no key update`;
    const release = await holding(database, counters);
    const sent = Array.from({ length: count }, (_, number) => send(devices[number % 2 ? 1 : 0], number));
    await eventually(async () => (await lockWaits(database.query())) >= 2);
    await release();
    return Promise.all(sent);
  };
  return { ...swim, atOnce };
}

describe('A completion that counts once a day', () => {
  it('is recorded if there is none, and else answered as if it had been, with the one that is there', async () => {
    const { once, ana, drifts } = await swimmer();
    await ana.query('mutation { updateProfile(input: { eventFeed: true }) { user { id } } }');
    const first = await once();
    expect(first).toEqual({
      ...{ isReplayed: false, isDoneAlready: false, task: { completionCount: 1 } },
      completion: { id: expect.any(String), day: '2026-11-21', amount: null, note: null },
      user: { points: 2.5, currentStreak: 1, streak: { count: 1 } },
    });
    for (const more of [{}, { key: 'a' }, { key: 'a' }, { amount: 3 }, { note: 'cold' }])
      expect(await once(more)).toEqual({ ...first, isReplayed: true, isDoneAlready: true });
    expect(await ana.profile()).toMatchObject({ points: 2.5, current_streak: 1 });
    expect(await drifts()).toEqual([]);
    const { events } = await ana.query('{ events { nodes { kind } } }');
    const told = events.nodes.filter(({ kind }: { kind: string }) => kind === 'COMPLETION_RECORDED');
    expect(told).toHaveLength(1);
  });

  it('may be recorded on each day of its user, and after it was taken back', async () => {
    const { once, ana, count, drifts } = await swimmer();
    await ana.query(
      'mutation { updateProfile(input: { timeZone: "Pacific/Auckland", dayStartsAt: 4 }) { user { id } } }',
    );
    expect((await once({ at: '2026-11-20T14:59:59Z' })).completion.day).toBe('2026-11-20');
    const first = await once({ at: '2026-11-20T15:00:00Z', key: 'a' }); // 04:00 there
    expect(first.completion.day).toBe('2026-11-21');
    // Whoever takes it back, it is the completion of that day: a repeat names no other.
    const again = await once({ at: '2026-11-21T11:00:00Z', key: 'b' }); // the day after there
    expect(again).toMatchObject({ isDoneAlready: true, completion: first.completion });
    await ana.query(UNDO, { id: again.completion.id });
    expect(await count()).toBe(1);
    expect(await once({ key: 'b' })).toMatchObject({ isReplayed: false, isDoneAlready: false });
    expect(await ana.profile()).toMatchObject({ points: 5 });
    expect(await drifts()).toEqual([]);
  });

  it('finds what was recorded in any way, the latest of that day, and stops nobody who counts each', async () => {
    const { once, ana, id, several, count } = await swimmer();
    const body = { task_id: Number(id), once: true };
    const overRest = await ana.rest.post('/api/task-completions', body); // which does not know the field
    expect([overRest.status, overRest.headers.get('ignored-fields')]).toEqual([201, 'once']);
    await ana.query(MORE, { id, at: '2026-11-21T09:00:00Z' });
    expect((await once()).completion.id).toBe(String(overRest.body.id));
    expect((await ana.query(MORE, { id })).completeTask).toMatchObject({ isReplayed: false });
    const { results } = await several([{ taskId: id, idempotencyKey: 'a', once: false }]);
    expect(results).toMatchObject([{ isReplayed: false, isDoneAlready: false }]);
    expect((await once()).completion.id).toBe(results[0].completion.id);
    expect(await count()).toBe(4);
  });

  it('is refused as any other where there is none; what is there is answered, however long ago', async () => {
    const { once, refused, here, ana, id } = await swimmer();
    const at = '2026-11-21T08:00:00Z';
    const first = await once({ at, key: 'a' });
    here.clock.advance({ days: 9 });
    expect(await once({ at })).toMatchObject({ isDoneAlready: true, completion: first.completion });
    expect(await once({ key: 'a' })).toMatchObject({ isDoneAlready: false, isReplayed: true }); // no second tap
    expect(await refused({ at: '2026-11-22T08:00:00Z' })).toBe('TOO_LONG_AGO');
    await ana.query('mutation ($id: ID!) { archiveTask(id: $id) { task { id } } }', { id });
    expect(await once({ at })).toMatchObject({ isDoneAlready: true });
    expect(await refused({})).toBe('TASK_ARCHIVED');
  });
});

describe('Completions at the same time, on two services', () => {
  it('that count once a day are one, of twelve, with a key each or without', async () => {
    const { ana, id, atOnce, drifts } = await twoServices();
    const all = await atOnce(12, async (device, number) => {
      const key = number % 3 ? `tap-${number}` : undefined;
      return (await device.query(ONCE, { id, key })).completeTask;
    });
    expect(all.filter(({ isReplayed }) => !isReplayed)).toHaveLength(1);
    expect(new Set(all.map(({ completion }) => completion.id)).size).toBe(1);
    for (const { task, user } of all)
      expect([task.completionCount, user.points, user.currentStreak]).toEqual([1, 2.5, 1]);
    expect(await ana.profile()).toMatchObject({ points: 2.5, current_streak: 1, max_streak: 1 });
    expect(await drifts()).toEqual([]);
  });

  it('wait for each other in no circle: batches of the same tasks in opposite orders', async () => {
    const { ana, id, atOnce, drifts } = await twoServices();
    const ids = [id];
    for (const _ of [1, 2, 3]) ids.push(String((await ana.hasTask()).id));
    const batches = await atOnce(6, async (device, number) => {
      const taskIds = number % 2 ? ids : ids.toReversed();
      const input = taskIds.map((taskId) => ({ taskId, idempotencyKey: `${number}-${taskId}`, once: true }));
      return (await device.query(SEVERAL, { input })).completeTasks;
    });
    const results: { isReplayed: boolean; error: unknown }[] = batches.flatMap(({ results }) => results);
    expect(results.filter(({ error }) => error)).toEqual([]);
    expect(results.filter(({ isReplayed }) => !isReplayed)).toHaveLength(ids.length);
    expect(await ana.profile()).toMatchObject({ points: 32.5 });
    expect(await drifts()).toEqual([]);
  });
});

it('Several completions at once, of which some count once a day, are judged in their order, as if each came alone', async () => {
  const { ana, id, several, count, drifts } = await swimmer();
  const { id: other } = await ana.hasTask();
  const taps: Record<string, object> = {
    first: { once: true },
    'as first': { once: true },
    before: { once: true, at: '2026-11-20T08:00:00Z' },
    'as before': { once: true, at: '2026-11-20T20:00:00Z' },
    each: {},
    'as each': { once: true },
    other: { once: true, taskId: other },
  };
  const input = Object.entries(taps).map(([name, more]) => ({
    ...{ taskId: id, idempotencyKey: name.replace(' ', '-') },
    ...more,
  }));
  const { results, user } = await several(input);
  const names = new Map<string, string>();
  const became = Object.keys(taps).map((name, index) => {
    const { completion, isDoneAlready, isReplayed } = results[index];
    expect(isReplayed).toBe(isDoneAlready);
    if (!isReplayed) names.set(completion.id, name);
    return isDoneAlready ? `as ${names.get(completion.id)}` : name;
  });
  expect(became).toEqual(Object.keys(taps));
  expect([user.points, await count()]).toEqual([17.5, 3]);
  expect((await several(input)).user.points).toBe(17.5); // sent once more, since the answer was lost
  expect(await drifts()).toEqual([]);
});
