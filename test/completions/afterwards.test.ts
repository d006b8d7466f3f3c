import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { configOf, ownDatabase } from '../support/database.js';
import { driftsOf } from '../support/drifts.js';
import { allQueriesOf } from '../support/statements.js';
import { type WorldOptions, world, worldOf } from '../support/world.js';

const COMPLETE = `mutation ($id: ID!, $at: DateTime, $key: String) {
  completeTask(taskId: $id, at: $at, idempotencyKey: $key) { isReplayed completion { id completedAt recordedAt day } }
}`;

const SEVERAL = `mutation ($input: [CompletionInput!]!) {
  completeTasks(input: $input) {
    results {
      completion { completedAt } task { id completionCount lastCompletedAt streak { count } } isReplayed
      error { reason idempotencyKey fields { name } }
    }
    user { points currentStreak streak { count } }
  }
}`;

const NOW = '2026-11-21T12:00:00.000Z';

async function swimmer(options?: WorldOptions) {
  const here = await world(options);
  here.clock.set('2026-11-01T12:00:00Z');
  const ana = await here.newUser();
  const swim = await ana.hasTask({ points: 2.5 });
  const me = () => here.renewed(ana);
  here.clock.set(NOW);
  const complete = async (at?: string | null, key?: string) =>
    (await me().query(COMPLETE, { id: swim.id, at, key })).completeTask;
  const refused = async (at: string, key?: string) =>
    (await me().rest.ask(COMPLETE, { id: swim.id, at, key })).errors[0];
  const several = async (input: object[]) => (await me().query(SEVERAL, { input })).completeTasks;
  const points = async () => (await me().profile()).points;
  return { ...here, ana, me, swim, complete, refused, several, points, drifts: () => driftsOf(here, ana) };
}

describe('A completion that is recorded afterwards', () => {
  it('tells when it was done, for a week, and when the service learned of it', async () => {
    const { clock, complete, refused, several, swim, points } = await swimmer();
    const { completion } = await complete('2026-11-20T11:30:00.123456789+02:00'); // as many languages write it
    const completedAt = '2026-11-20T09:30:00.123Z';
    expect(completion).toMatchObject({ completedAt, recordedAt: NOW, day: '2026-11-20' });
    expect((await complete(null)).completion).toMatchObject({ completedAt: NOW, recordedAt: NOW });
    const late = '2026-11-14T12:00:00.000Z';
    const { completion: oldest } = await complete(late, 'offline');
    clock.advance({ ms: 1 });
    expect(await complete(late, 'offline')).toEqual({ isReplayed: true, completion: oldest });
    expect(await refused(late, 'another')).toMatchObject({ extensions: { reason: 'TOO_LONG_AGO' } });
    clock.set(NOW);
    expect(await points()).toBe(7.5);
    // By a clock that is ahead it is done now.
    const ahead = ['12:00:30', '12:05:00', '12:05:01'].map((time) => `2026-11-21T${time}Z`);
    const { results } = await several(
      ahead.map((at, key) => ({ taskId: swim.id, idempotencyKey: `k${key}`, at })),
    );
    expect(results).toMatchObject([
      ...[{ completion: { completedAt: NOW } }, { completion: { completedAt: NOW } }],
      { completion: null, error: { reason: 'IN_FUTURE' } },
    ]);
  });

  it('at the first or the last instant that can be written is refused like any other, wherever it is', async () => {
    const { refused, me } = await swimmer();
    for (const timeZone of ['Pacific/Kiritimati', 'Etc/GMT+12']) {
      await me().query(`mutation { updateProfile(input: { timeZone: "${timeZone}" }) { user { id } } }`);
      for (const [at, reason] of [
        ['0001-01-01T00:00:00.000Z', 'TOO_LONG_AGO'],
        ['9999-12-31T23:59:59.999Z', 'IN_FUTURE'],
      ] as const)
        expect(await refused(at, at)).toMatchObject({ extensions: { reason } });
      for (const at of ['0001-01-01T00:00:00+00:01', '9999-12-31T23:59:00-00:01'])
        expect((await refused(at)).message).toContain('must be a real instant');
    }
  });

  it.each([
    [36, 'A completion can be at most 36 hours old to be taken back'],
    [0, 'Only a completion of today can be taken back'],
  ])('can be taken back for %s hours, whatever the day', async (backdateHours, message) => {
    const config = { ...configOf(), backdateHours };
    const { clock, me, complete, refused, points } = await swimmer({ config });
    clock.set('2026-11-20T23:59:59.000Z');
    const [first, second] = [await complete(), await complete()];
    const undo = ({ completion: { id } }: typeof first) =>
      me().rest.ask(`mutation { undoCompletion(id: ${id}) { completionId } }`);
    clock.advance({ hours: backdateHours });
    expect((await undo(first)).errors).toBeUndefined();
    clock.advance(backdateHours ? { ms: 1 } : { seconds: 1 });
    const extensions = { reason: 'TOO_LONG_AGO', fields: [{ name: 'id', message }] };
    expect((await undo(second)).errors).toMatchObject([{ message, extensions }]);
    expect(await points()).toBe(2.5);
    if (backdateHours === 0)
      expect((await refused('2026-11-20T23:59:59.999Z')).message).toBe('A completion cannot lie in the past');
  });
});

describe('Several completions at once', () => {
  it('are each counted or refused by themselves, in their order', async () => {
    const { me, newUser, swim, complete, several, drifts } = await swimmer();
    const run = await me().hasTask({ points: 1 });
    await complete(undefined, 'used');
    const before = '2026-11-20T08:00:00.000Z';
    const ofTask: Record<string, { id: unknown }> = {
      ...{ swim, run, hers: await (await newUser()).hasTask(), nothing: { id: 'nonsense' } },
    };
    const taps: [task: string, key: string, outcome: string, at?: string][] = [
      ['swim', 'k1', `${swim.id} 2 ${before}`, before],
      ['swim', 'k2', 'TOO_LONG_AGO at', '2026-11-10T08:00:00Z'],
      ['hers', 'k3', 'NOT_FOUND taskId'],
      ['nothing', 'k4', 'NOT_FOUND taskId'],
      ['run', 'used', 'KEY_REUSED idempotencyKey'],
      ['swim', 'used', `${swim.id} 2 ${NOW} again`],
      ['run', 'no key', 'INVALID_INPUT idempotencyKey'],
      ['run', 'k5', 'IN_FUTURE at', '2026-11-21T13:00:00Z'],
      ['run', 'k6', `${run.id} 2 ${NOW}`],
      ['run', 'k6', `${run.id} 2 ${NOW} again`, '2026-11-01T08:00:00Z'],
      ['swim', 'k6', 'KEY_REUSED idempotencyKey'],
      ['hers', 'k6', 'NOT_FOUND taskId'],
      ['run', 'k3', `${run.id} 2 ${NOW}`],
    ];
    const { results, user } = await several(
      taps.map(([task, idempotencyKey, , at]) => ({ taskId: ofTask[task]?.id, idempotencyKey, at })),
    );
    for (const [index, [task, key, outcome]] of taps.entries()) {
      const { error, completion, isReplayed, ...result } = results[index];
      const done = [result.task?.id, result.task?.completionCount, completion?.completedAt];
      const told = error ? [error.reason, error.fields[0].name] : [...done, ...(isReplayed ? ['again'] : [])];
      expect(told.join(' '), `${task} by ${key}`).toBe(outcome);
      if (error) expect([error.idempotencyKey, completion, result.task]).toEqual([key, null, null]);
    }
    expect(user).toEqual({ points: 7, currentStreak: 2, streak: { count: 2 } });
    expect(await drifts()).toEqual([]);
  });

  it('send as many statements as one does, however many they are', async () => {
    const { database, swim, several, points, drifts } = await swimmer();
    const statements = async (count: number) => {
      const input = Array.from({ length: count }, (_, hour) => ({
        ...{ taskId: swim.id, idempotencyKey: `${count}-${hour}` },
        at: new Date(Date.parse(NOW) - ((hour + 30) % 47) * 3_600_000).toISOString(),
      }));
      return (await allQueriesOf({ database }, () => several(input))).map((query) => query.sql);
    };
    const ofOne = await statements(1);
    expect(await statements(100)).toEqual(ofOne);
    expect([await points(), await drifts()]).toEqual([252.5, []]);
  });

  it('count once when they are sent twice at the same time', async () => {
    const { several, swim, points, drifts } = await swimmer();
    const input = Array.from({ length: 20 }, (_, number) => ({
      ...{ taskId: swim.id, idempotencyKey: `tap-${number}` },
      ...(number % 2 && { at: '2026-11-20T08:00:00Z' }),
    }));
    const answers = await Promise.all([1, 2, 3].map(() => several(input)));
    const results = answers.flatMap((answer) => answer.results);
    expect(results.filter((result) => result.error === null && !result.isReplayed)).toHaveLength(20);
    expect(results.filter((result) => result.isReplayed)).toHaveLength(40);
    expect(await points()).toBe(50);
    expect(await drifts()).toEqual([]);
  });

  it('are recorded all together or, where something fails, by the next attempt', async () => {
    const database = await ownDatabase();
    const { me, swim, several, points, drifts } = await swimmer({ database });
    const query = database.query();
    // Not valid: it is for what comes, and tests may share the database.
    await sql`alter table task_completions
      add constraint not_yet check (idempotency_key <> 'tap-12') not valid`.execute(query);
    const input = Array.from({ length: 25 }, (_, number) => ({
      ...{ taskId: swim.id, idempotencyKey: `tap-${number}`, at: '2026-11-20T08:00:00Z' },
    }));
    const { errors } = await me().rest.ask(SEVERAL, { input });
    expect([errors[0].extensions.reason, await points()]).toEqual(['INTERNAL', 0]);
    await sql`alter table task_completions drop constraint not_yet`.execute(query);
    const { results, user } = await several(input);
    expect(results.filter((result: { isReplayed: boolean }) => result.isReplayed)).toEqual([]);
    expect(user.points).toBe(62.5);
    expect(await drifts()).toEqual([]);
  });
});

it('The note on a completion is changed by its owner alone', async () => {
  const { ana, ben } = await worldOf('ana', 'ben');
  const { id } = (await ana.completes(await ana.hasTask())).body;
  const change = `mutation { updateCompletionNote(id: ${id}, note: "Cold") { completion { note } } }`;
  expect((await ben.rest.ask(change)).errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
  expect((await ana.query(change)).updateCompletionNote.completion.note).toBe('Cold');
});
