import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { configOf, ownDatabase } from '../support/database.js';
import { driftsOf } from '../support/drifts.js';
import { allQueriesOf, statementsOf } from '../support/statements.js';
import { type WorldOptions, world, worldOf } from '../support/world.js';

const COMPLETE = `mutation ($id: ID!, $at: DateTime, $key: String) {
  completeTask(taskId: $id, at: $at, idempotencyKey: $key) {
    isReplayed completion { id completedAt recordedAt day } user { currentStreak maxStreak streak { count } }
  }
}`;

const SEVERAL = `mutation ($input: [CompletionInput!]!) {
  completeTasks(input: $input) {
    results { completion { id completedAt } task { id completionCount } isReplayed error { message reason idempotencyKey fields { name message } } }
    user { points currentStreak streak { count } }
  }
}`;

const MOVE = `mutation ($timeZone: TimeZone!) {
  updateProfile(input: { timeZone: $timeZone }) { user { id } }
}`;

const NOW = '2026-11-21T12:00:00.000Z';

async function swimmer(options?: WorldOptions) {
  const here = await world(options);
  here.clock.set('2026-11-01T12:00:00Z');
  const ana = await here.newUser();
  const swim = await ana.hasTask({ points: 2.5 });
  const me = () => here.renewed(ana);
  here.clock.set(NOW);
  const complete = (at?: string | null, key?: string) => me().query(COMPLETE, { id: swim.id, at, key });
  const refused = async (at: unknown, key?: string) =>
    (await me().rest.post('/graphql', { query: COMPLETE, variables: { id: swim.id, at, key } })).body.errors;
  const drifts = () => driftsOf(here, ana);
  return { ...here, ana, me, swim, complete, refused, drifts };
}

describe('A completion that is recorded afterwards', () => {
  it('tells when it was done, and when the service learned of it', async () => {
    const { complete } = await swimmer();
    const { completeTask } = await complete('2026-11-20T11:30:00.123456789+02:00'); // as many languages write it
    expect(completeTask.completion).toMatchObject({
      completedAt: '2026-11-20T09:30:00.123Z',
      recordedAt: NOW,
      day: '2026-11-20',
    });
  });

  it('is taken for a week, to the millisecond, and is done now with null for an instant', async () => {
    const { complete, me } = await swimmer();
    expect((await complete(null)).completeTask.completion).toMatchObject({
      completedAt: NOW,
      recordedAt: NOW,
    });
    await complete('2026-11-14T12:00:00.000Z');
    expect((await me().profile()).points).toBe(5);
  });

  it('by a clock that is ahead counts as now, and too far ahead has a reason of its own', async () => {
    const { me, swim } = await swimmer();
    const taps = ['12:00:30', '12:05:00', '12:05:01'].map((time, key) => ({
      taskId: `${swim.id}`,
      idempotencyKey: `ahead-${key}`,
      at: `2026-11-21T${time}Z`,
    }));
    const { completeTasks } = await me().query(SEVERAL, { input: taps });
    expect(completeTasks.results).toMatchObject([
      ...[{ completion: { completedAt: NOW } }, { completion: { completedAt: NOW } }],
      { completion: null, error: { reason: 'IN_FUTURE' } },
    ]);
  });

  it('at the first or the last instant that can be written is refused like any other, wherever it is', async () => {
    const { refused, me } = await swimmer();
    for (const timeZone of ['Pacific/Kiritimati', 'Etc/GMT+12']) {
      await me().query(MOVE, { timeZone });
      const reasons = { TOO_LONG_AGO: '0001-01-01T00:00:00.000Z', IN_FUTURE: '9999-12-31T23:59:59.999Z' };
      for (const [reason, at] of Object.entries(reasons))
        expect(await refused(at, at)).toMatchObject([{ extensions: { reason } }]);
      for (const at of ['0001-01-01T00:00:00+00:01', '9999-12-31T23:59:00-00:01'])
        expect(await refused(at)).toMatchObject([
          { message: expect.stringContaining('must be a real instant') },
        ]);
    }
  });

  it('is refused altogether where the operator wants none', async () => {
    const config = { ...configOf(), backdateHours: 0 };
    const { refused, complete } = await swimmer({ config });
    expect(await refused('2026-11-21T11:59:59.999Z')).toMatchObject([
      { message: 'A completion cannot lie in the past' },
    ]);
    expect((await complete(NOW)).completeTask.completion.completedAt).toBe(NOW);
  });

  it('is replayed by its key even when it would be too late by now', async () => {
    const { clock, complete, refused, me } = await swimmer();
    const first = await complete('2026-11-20T12:00:00Z', 'offline');
    clock.advance({ days: 7 });
    const again = await complete('2026-11-20T12:00:00Z', 'offline');
    expect(again.completeTask).toMatchObject({ isReplayed: true, completion: first.completeTask.completion });
    expect(await refused('2026-11-20T12:00:00Z', 'another')).toMatchObject([
      { extensions: { reason: 'TOO_LONG_AGO' } },
    ]);
    expect((await me().profile()).points).toBe(2.5);
  });
});

describe('A completion that is taken back', () => {
  const UNDO = `mutation ($id: ID!) { undoCompletion(id: $id) { completionId day { date completionCount points streakEffect } } }`;
  it.each([
    [36, '36 hours'],
    [0, undefined],
  ])('can be so for %s hours, whatever the day: %s', async (backdateHours, words) => {
    const { clock, me, complete } = await swimmer({ config: { ...configOf(), backdateHours } });
    clock.set('2026-11-20T23:59:59.000Z');
    const [first, second] = [await complete(), await complete()];
    const undo = async ({ completeTask }: typeof first) => {
      const variables = { id: completeTask.completion.id };
      return (await me().rest.post('/graphql', { query: UNDO, variables })).body;
    };
    clock.advance({ hours: backdateHours });
    expect((await undo(first)).errors).toBeUndefined();
    if (words) clock.advance({ ms: 1 });
    else clock.set('2026-11-21T00:00:00.000Z');
    const message = words
      ? `A completion can be at most ${words} old to be taken back`
      : 'Only a completion of today can be taken back';
    const extensions = { code: 'BAD_USER_INPUT', reason: 'TOO_LONG_AGO', fields: [{ name: 'id', message }] };
    expect((await undo(second)).errors).toMatchObject([{ message, extensions }]);
    expect((await me().profile()).points).toBe(2.5);
  });
});

it('What nobody asks for is not read, nor begun and forgotten, which would end the process if it failed', async () => {
  const { ana, ...here } = await worldOf('ana');
  const { id } = await ana.hasTask();
  const ofUsers = async (mutation: string) => {
    const asked = await statementsOf(here, () => ana.query(`mutation { ${mutation} }`));
    return asked.filter((text) => text.includes('from "users"'));
  };
  const complete = `completeTask(taskId: ${id})`;
  expect(await ofUsers(`${complete} { day { date } }`)).toEqual([]);
  const { completeTask } = await ana.query(`mutation { ${complete} { completion { id } } }`);
  expect(await ofUsers(`undoCompletion(id: ${completeTask.completion.id}) { day { date } }`)).toEqual([]);
});

describe('Several completions at once', () => {
  it('are each counted or refused by themselves, in their order', async () => {
    const { me, newUser, swim, complete, drifts } = await swimmer();
    const bens = await (await newUser()).hasTask();
    await complete(undefined, 'used');
    const run = await me().hasTask({ points: 1 });
    const taps: [task: { id: unknown }, key: string, at?: string][] = [
      [swim, 'k1', '2026-11-20T08:00:00Z'],
      [swim, 'k2', '2026-11-10T08:00:00Z'],
      [bens, 'k3'],
      [{ id: 'nonsense' }, 'k4'],
      [run, 'used'],
      [swim, 'used'],
      [run, 'no key'],
      [run, 'k5', '2026-11-21T13:00:00Z'],
      [run, 'k6'],
      [run, 'k6', '2026-11-01T08:00:00Z'],
      [swim, 'k6'],
      [bens, 'k6'],
      [run, 'k3'],
    ];
    const input = taps.map(([{ id }, idempotencyKey, at]) => ({ taskId: id, idempotencyKey, at }));
    const { completeTasks } = await me().query(SEVERAL, { input });
    // biome-ignore lint/suspicious/noExplicitAny: an answer of GraphQL
    const told = ({ task, error, isReplayed, completion }: any) =>
      error
        ? [task, completion, error.reason, error.idempotencyKey, error.fields[0].name]
        : [task.id, task.completionCount, completion.completedAt, isReplayed];
    const refused = (reason: string, key: string, field: string) => [null, null, reason, key, field];
    expect(completeTasks.results.map(told)).toEqual([
      [`${swim.id}`, 2, '2026-11-20T08:00:00.000Z', false],
      refused('TOO_LONG_AGO', 'k2', 'at'),
      refused('NOT_FOUND', 'k3', 'taskId'),
      refused('NOT_FOUND', 'k4', 'taskId'),
      refused('KEY_REUSED', 'used', 'idempotencyKey'),
      [`${swim.id}`, 2, NOW, true],
      refused('INVALID_INPUT', 'no key', 'idempotencyKey'),
      refused('IN_FUTURE', 'k5', 'at'),
      [`${run.id}`, 2, NOW, false],
      [`${run.id}`, 2, NOW, true],
      refused('KEY_REUSED', 'k6', 'idempotencyKey'),
      refused('NOT_FOUND', 'k6', 'taskId'),
      [`${run.id}`, 2, NOW, false],
    ]);
    expect(completeTasks.user).toEqual({ points: 7, currentStreak: 2, streak: { count: 2 } });
    expect(await drifts()).toEqual([]);
  });

  it('show their task as it is by the end, and all of it of one moment', async () => {
    const { me, swim } = await swimmer();
    const fields = 'task { completionCount lastCompletedAt today { completionCount } streak { count } }';
    const query = `mutation ($input: [CompletionInput!]!) { completeTasks(input: $input) { results { ${fields} } } }`;
    const input = ['19', '20', '21'].map((day) => ({
      ...{ taskId: swim.id, idempotencyKey: day, at: `2026-11-${day}T08:00:00Z` },
    }));
    const { completeTasks } = await me().query(query, { input });
    const { task } = await me().query(`{ ${fields.replace('task', `task(id: ${swim.id})`)} }`);
    expect(task).toMatchObject({ completionCount: 3, streak: { count: 3 } });
    expect(completeTasks.results).toEqual([{ task }, { task }, { task }]);
  });

  it('cost as much as they are', async () => {
    const { me, swim } = await swimmer();
    const input = Array.from({ length: 100 }, (_, key) => ({ taskId: swim.id, idempotencyKey: `k${key}` }));
    const lists = ['a', 'b', 'c'].map((name) => `${name}: completeTasks(input: $input) { user { id } }`);
    const query = `mutation ($input: [CompletionInput!]!) { ${lists.join(' ')} }`;
    const three = await me().rest.ask(query, { input });
    expect(three.errors).toMatchObject([{ extensions: { reason: 'TOO_COMPLEX', limit: 'cost' } }]);
  });

  it('send as many statements as one does, however many they are', async () => {
    const here = await swimmer();
    const { me, swim, drifts } = here;
    const run = await me().hasTask({ points: 1 });
    const hours = (count: number) =>
      Array.from({ length: count }, (_, hour) => ({
        taskId: hour % 3 === 0 ? swim.id : run.id,
        idempotencyKey: `${count}-${hour}`,
        at: new Date(Date.parse(NOW) - ((hour + 30) % 47) * 3_600_000).toISOString(),
      }));
    const statements = async (count: number) =>
      (await allQueriesOf(here, () => me().query(SEVERAL, { input: hours(count) }))).map(({ sql }) => sql);
    const ofOne = await statements(1);
    expect(await statements(100)).toEqual(ofOne);
    expect(ofOne.length).toBeLessThan(15);
    expect((await me().profile()).points).toBe(2.5 + 34 * 2.5 + 66);
    expect(await drifts()).toEqual([]);
  });

  it('count once when they are sent twice at the same time', async () => {
    const { me, swim, drifts } = await swimmer();
    const input = Array.from({ length: 20 }, (_, number) => ({
      taskId: swim.id,
      idempotencyKey: `tap-${number}`,
      ...(number % 2 && { at: '2026-11-20T08:00:00Z' }),
    }));
    const answers = await Promise.all([1, 2, 3].map(() => me().query(SEVERAL, { input })));
    const results = answers.flatMap(({ completeTasks }) => completeTasks.results);
    expect(results.filter((result) => result.error === null && !result.isReplayed)).toHaveLength(20);
    expect(results.filter((result) => result.isReplayed)).toHaveLength(40);
    expect((await me().profile()).points).toBe(50);
    expect(await drifts()).toEqual([]);
  });

  it('are recorded all together or, where something fails, by the next attempt', async () => {
    const database = await ownDatabase();
    const { me, swim, drifts } = await swimmer({ database });
    const query = database.query();
    // Not valid: it is for what comes, and tests may share the database.
    await sql`alter table task_completions
      add constraint not_yet check (idempotency_key <> 'tap-12') not valid`.execute(query);
    const input = Array.from({ length: 25 }, (_, number) => ({
      ...{ taskId: swim.id, idempotencyKey: `tap-${number}`, at: '2026-11-20T08:00:00Z' },
    }));
    expect((await me().rest.ask(SEVERAL, { input })).errors).toMatchObject([
      { extensions: { reason: 'INTERNAL' } },
    ]);
    expect((await me().profile()).points).toBe(0);
    await sql`alter table task_completions drop constraint not_yet`.execute(query);
    const { completeTasks } = await me().query(SEVERAL, { input });
    const replayed = completeTasks.results.filter((result: { isReplayed: boolean }) => result.isReplayed);
    expect(replayed).toEqual([]);
    expect(completeTasks.user.points).toBe(62.5);
    expect(await drifts()).toEqual([]);
  });
});
