import { sql } from 'kysely';
import { describe, expect, inject, it } from 'vitest';
import { databaseAt, freshUrl } from '../support/database.js';
import { driftsOf } from '../support/drifts.js';
import { eventually } from '../support/eventually.js';
import { holding, lockWaits } from '../support/locks.js';
import { allQueriesOf } from '../support/statements.js';
import { type TestUser, type World, world, worldOf } from '../support/world.js';

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

const UNDO = 'mutation ($id: ID!) { undoCompletion(id: $id) { task { completionCount } user { points } } }';

const NOW = '2026-11-21T12:00:00.000Z';

async function swimmer(input = 'title: "Swim", points: 2.5', given?: World) {
  const here = given ?? (await world());
  here.clock.set(NOW);
  const ana = await here.newUser();
  const { createTask } = await ana.query(`mutation { createTask(input: { ${input} }) { task { id } } }`);
  const id: string = createTask.task.id;
  const once = async (more: object = {}) => (await ana.query(ONCE, { id, ...more })).completeTask;
  const several = async (input: object[]) => (await ana.query(SEVERAL, { input })).completeTasks;
  const refused = async (more: object) =>
    (await ana.rest.ask(ONCE, { id, ...more })).errors[0].extensions.reason;
  const count = async () =>
    (await ana.query('query ($id: ID!) { task(id: $id) { completionCount } }', { id })).task.completionCount;
  const drifts = () => driftsOf(here, ana);
  return { here, ana, id, once, several, refused, count, drifts };
}

/** On one database, as two processes are. */
async function twoServices() {
  const url = await freshUrl(inject('template').url);
  const here = await world({ database: await databaseAt(url) });
  const there = await world({ database: await databaseAt(url), clock: here.clock });
  const swim = await swimmer(undefined, here);
  const devices = [swim.ana, there.renewed(swim.ana)];
  const gate = await databaseAt(url);
  /** Holds all back until several wait, so that none of them sees another one's completion before its turn. */
  const atOnce = async <Answer>(
    count: number,
    send: (device: TestUser, number: number) => Promise<Answer>,
  ) => {
    const counters = sql`select from user_progress where user_id = ${swim.ana.id} for no key update`;
    const release = await holding(gate, counters);
    const sent = Array.from({ length: count }, (_, number) => {
      const device = devices[number % 2] ?? swim.ana;
      return send(device, number);
    });
    await eventually(async () => (await lockWaits(gate.query())) >= 2);
    await release();
    return Promise.all(sent);
  };
  return { ...swim, atOnce };
}

describe('A completion that counts once a day', () => {
  it('is recorded if there is none, and else answered as if it had been, with the one that is there', async () => {
    const { once, ana, drifts } = await swimmer();
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
  });

  it('may be recorded on each day, and after it was taken back', async () => {
    const { once, ana, count, drifts } = await swimmer();
    const first = await once({ key: 'a' });
    expect(await once({ at: '2026-11-20T23:59:59Z' })).toMatchObject({ isDoneAlready: false });
    expect(await once({ at: '2026-11-20T00:00:00Z' })).toMatchObject({ isDoneAlready: true });
    // Whoever takes it back, it is the completion of that day: a repeat names no other.
    const { completion } = await once({ key: 'b' });
    expect(completion.id).toBe(first.completion.id);
    await ana.query(UNDO, { id: completion.id });
    expect(await count()).toBe(1);
    expect(await once({ key: 'b' })).toMatchObject({ isReplayed: false, isDoneAlready: false });
    expect(await count()).toBe(2);
    expect(await ana.profile()).toMatchObject({ points: 5 });
    expect(await drifts()).toEqual([]);
  });

  it('is the same one by its own key, which is no second tap', async () => {
    const { once, refused, here, ana } = await swimmer();
    const first = await once({ key: 'a' });
    expect(await once({ key: 'a' })).toEqual({ ...first, isReplayed: true });
    here.clock.advance({ days: 1 });
    expect(await once({ key: 'a' })).toMatchObject({ completion: first.completion, isDoneAlready: false });
    const { id } = await ana.hasTask();
    expect(await refused({ id, key: 'a' })).toBe('KEY_REUSED');
  });

  it('goes by the day of its user', async () => {
    const { once, ana, count } = await swimmer();
    await ana.query(
      'mutation { updateProfile(input: { timeZone: "Pacific/Auckland", dayStartsAt: 4 }) { user { id } } }',
    );
    expect((await once({ at: '2026-11-20T14:59:59Z' })).completion.day).toBe('2026-11-20');
    expect((await once({ at: '2026-11-20T15:00:00Z' })).completion.day).toBe('2026-11-21'); // 04:00 there
    expect(await once({ at: '2026-11-21T11:00:00Z' })).toMatchObject({ isDoneAlready: true }); // the day after there
    expect(await count()).toBe(2);
  });

  it('finds what was recorded in any way, the latest of that day, and stops nobody who counts each', async () => {
    const { once, ana, id, several, count } = await swimmer();
    const { body } = await ana.completes({ id: Number(id) });
    expect((await once()).completion.id).toBe(String(body.id));
    await ana.query(MORE, { id, at: '2026-11-21T09:00:00Z' });
    expect((await once()).completion.id).toBe(String(body.id));
    expect((await ana.query(MORE, { id })).completeTask).toMatchObject({ isReplayed: false });
    const { results } = await several([{ taskId: id, idempotencyKey: 'a', once: false }]);
    expect(results).toMatchObject([{ isReplayed: false, isDoneAlready: false }]);
    expect((await once()).completion.id).toBe(results[0].completion.id);
    expect(await count()).toBe(4);
  });

  it.each([
    'title: "Read", target: { amount: 20, unit: "pages" }',
    'title: "Read", target: { amount: 20, unit: "pages", per: WEEK }',
    'title: "Coffee", target: { amount: 2, unit: "cups", kind: AT_MOST }',
    'title: "Gym", schedule: { weekdays: [MONDAY] }',
    'title: "Run", schedule: { timesPer: { count: 3, period: WEEK } }',
  ])('asks for nothing but that there is none, of %s too', async (input) => {
    const { once, count, drifts } = await swimmer(input);
    const amount = input.includes('target') ? 5 : null;
    const first = await once({ amount });
    expect(first.isDoneAlready).toBe(false);
    expect(await once({ amount: amount && 7 })).toMatchObject({
      isDoneAlready: true,
      completion: first.completion,
    });
    expect(await count()).toBe(1);
    expect(await drifts()).toEqual([]);
  });

  it('is refused as any other where there is none; what is there is answered, however long ago', async () => {
    const { once, refused, here, ana, id } = await swimmer();
    const at = '2026-11-21T08:00:00Z';
    const first = await once({ at });
    here.clock.advance({ days: 9 });
    expect(await once({ at })).toMatchObject({ isDoneAlready: true, completion: first.completion });
    expect(await refused({ at: '2026-11-22T08:00:00Z' })).toBe('TOO_LONG_AGO');
    expect(await refused({ at: '2026-12-01T08:00:00Z' })).toBe('IN_FUTURE');
    expect(await refused({ id: '999999999' })).toBe('NOT_FOUND');
    await ana.query('mutation ($id: ID!) { archiveTask(id: $id) { task { id } } }', { id });
    expect(await once({ at })).toMatchObject({ isDoneAlready: true });
    expect(await refused({})).toBe('TASK_ARCHIVED');
    await ana.query('mutation ($id: ID!) { deleteTask(id: $id) { deletedId } }', { id });
    expect(await refused({})).toBe('NOT_FOUND');
  });

  it('is no matter of another user, nor of another task', async () => {
    const here = await world();
    const [one, other] = [await swimmer(undefined, here), await swimmer(undefined, here)];
    await one.once();
    expect(await other.once()).toMatchObject({ isDoneAlready: false });
    expect(await one.refused({ id: other.id })).toBe('NOT_FOUND');
    const { id } = await one.ana.hasTask();
    expect(await one.once({ id })).toMatchObject({ isDoneAlready: false, user: { points: 12.5 } });
  });

  it('is told once to whoever follows', async () => {
    const { once, ana } = await swimmer();
    await ana.query('mutation { updateProfile(input: { eventFeed: true }) { user { id } } }');
    await once();
    await once();
    const { events } = await ana.query('{ events { nodes { kind } } }');
    expect(events.nodes.filter(({ kind }: { kind: string }) => kind === 'COMPLETION_RECORDED')).toHaveLength(
      1,
    );
  });

  it('is none in REST, which counts each and says that it does not know the field', async () => {
    const { ana, id, count } = await swimmer();
    const body = { task_id: Number(id), once: true };
    for (const _ of [1, 2]) {
      const answer = await ana.rest.post('/api/task-completions', body);
      expect([answer.status, answer.headers.get('ignored-fields')]).toEqual([201, 'once']);
    }
    expect(await count()).toBe(2);
  });
});

describe('Completions that count once a day, at the same time', () => {
  it.each([
    ['without a key', () => undefined],
    ['with a key each', (number: number) => `tap-${number}`],
    ['with one key', () => 'tap'],
  ])('are one, of twenty %s, on two services', async (_how, keyOf) => {
    const { ana, id, atOnce, count, drifts } = await twoServices();
    const all = await atOnce(
      20,
      async (device, number) => (await device.query(ONCE, { id, key: keyOf(number) })).completeTask,
    );
    expect(all.filter(({ isReplayed }) => !isReplayed)).toHaveLength(1);
    expect(new Set(all.map(({ completion }) => completion.id)).size).toBe(1);
    for (const { task, user } of all)
      expect([task.completionCount, user.points, user.currentStreak]).toEqual([1, 2.5, 1]);
    expect(await count()).toBe(1);
    expect(await ana.profile()).toMatchObject({ points: 2.5, current_streak: 1, max_streak: 1 });
    expect(await drifts()).toEqual([]);
  });

  it('are at most one beside one that counts each', async () => {
    const { id, atOnce, count, drifts } = await twoServices();
    const all = await atOnce(
      8,
      async (device, number) => (await device.query(number === 3 ? MORE : ONCE, { id })).completeTask,
    );
    const recorded = all.filter(({ isReplayed }) => !isReplayed);
    expect(all[3].isReplayed).toBe(false);
    expect(recorded.length).toBeLessThanOrEqual(2);
    expect(await count()).toBe(recorded.length);
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

  it('are one beside undoing and deleting: what is answered is there, or the task is gone', async () => {
    const { ana, id, once, atOnce, drifts } = await twoServices();
    const first = await once();
    const answers = await atOnce(7, (device, number) =>
      number === 2
        ? device.rest.ask(UNDO, { id: first.completion.id })
        : number === 6
          ? device.rest.ask('mutation ($id: ID!) { deleteTask(id: $id) { deletedId } }', { id })
          : device.rest.ask(ONCE, { id }),
    );
    const reasons = answers.flatMap(({ errors }) => errors?.[0].extensions.reason ?? []);
    expect(reasons.filter((reason) => reason !== 'NOT_FOUND')).toEqual([]);
    expect(await ana.profile()).toMatchObject({ points: 0 });
    expect(await drifts()).toEqual([]);
  });
});

describe('Several completions at once, of which some count once a day', () => {
  it('are judged in their order, as if each came alone', async () => {
    const { ana, id, several, count, drifts } = await swimmer();
    const { id: other } = await ana.hasTask();
    const yesterday = '2026-11-20T08:00:00Z';
    const taps: [string, object][] = [
      ['first', { once: true }],
      ['again', { once: true }],
      ['before', { once: true, at: yesterday }],
      ['before again', { once: true, at: '2026-11-20T20:00:00Z' }],
      ['each', {}],
      ['last', { once: true }],
      ['other', { once: true, taskId: other }],
    ];
    const input = taps.map(([name, more]) => ({
      taskId: id,
      idempotencyKey: name.replace(' ', '-'),
      ...more,
    }));
    const { results, user } = await several(input);
    const names = new Map<string, string>();
    const became = taps.map(([name], index) => {
      const { completion, isDoneAlready, isReplayed } = results[index];
      expect(isReplayed).toBe(isDoneAlready);
      if (!isReplayed) names.set(completion.id, name);
      return isDoneAlready ? `as ${names.get(completion.id)}` : name;
    });
    expect(became).toEqual(['first', 'as first', 'before', 'as before', 'each', 'as each', 'other']);
    expect(user.points).toBe(17.5);
    expect(await count()).toBe(3);
    // Sent once more, since the answer was lost.
    const again = await several(input);
    expect(again.results.map(({ completion }: { completion: object }) => completion)).toEqual(
      results.map(({ completion }: { completion: object }, index: number) =>
        taps[index]?.[0] === 'again' ? results[4].completion : completion,
      ),
    );
    expect(again.user.points).toBe(17.5);
    expect(await drifts()).toEqual([]);
  });

  it('take one statement more, however many they are, and nothing where none does', async () => {
    const { here, id, several } = await swimmer();
    const batch = (name: string, length: number, more: object) =>
      Array.from({ length }, (_, number) => ({
        ...{ taskId: id, idempotencyKey: `${name}-${number}`, ...more },
      }));
    const statements = async (name: string, length: number, more: object) =>
      (await allQueriesOf(here, () => several(batch(name, length, more)))).map(({ sql }) => sql);
    await several(batch('before', 1, {})); // the first of a day counts more
    const plain = await statements('plain', 2, {});
    expect(await statements('said', 2, { once: false })).toEqual(plain);
    const at = (day: number) => ({ once: true, at: `2026-11-${day}T08:00:00Z` });
    const isLookUp = (sql: string) => sql.includes('as asked (task_id, day)');
    expect(plain.filter(isLookUp)).toEqual([]);
    const one = (await statements('one', 1, at(20))).filter(isLookUp);
    expect(one).toHaveLength(1);
    expect((await statements('many', 100, at(19))).filter(isLookUp)).toEqual(one);
  });

  it('look each day of a task up once', async () => {
    const { here, id, several } = await swimmer();
    const input = Array.from({ length: 100 }, (_, number) => ({
      ...{ taskId: id, idempotencyKey: `tap-${number}`, once: true },
      at: `2026-11-${number % 2 ? 19 : 20}T08:00:00Z`,
    }));
    const asked = await allQueriesOf(here, () => several(input));
    const lookUp = asked.find(({ sql }) => sql.includes('as asked (task_id, day)'));
    expect(lookUp?.parameters.slice(0, 2)).toEqual([
      [Number(id), Number(id)],
      ['2026-11-20', '2026-11-19'],
    ]);
  });

  it('refuses what is neither true nor false', async () => {
    const { ana, id } = await swimmer();
    for (const once of [null, 'true', 1]) {
      const input = [{ taskId: id, idempotencyKey: 'a', once }];
      expect((await ana.rest.ask(SEVERAL, { input })).errors[0].extensions.code).toBe('BAD_USER_INPUT');
    }
  });
});

it('Without the field two taps are two, as they always were', async () => {
  const { ana } = await worldOf('ana');
  const { id } = await ana.hasTask();
  for (const _ of [1, 2]) await ana.query(MORE, { id });
  expect(await ana.profile()).toMatchObject({ points: 20 });
});
