import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { configOf } from '../support/database.js';
import { driftsOf } from '../support/drifts.js';
import { TestClock, type WorldOptions } from '../support/world.js';
import { swimmer } from './swimmer.js';

const SET = 'mutation ($input: UpdateProfileInput!) { updateProfile(input: $input) { user { id } } }';
const STREAK = '{ me { today todayEndsAt streak { count longest doneToday atRisk aliveUntil } } }';

/** Someone who swims, somewhere. */
async function swimmerIn(
  days: { timeZone: string; dayStartsAt?: number },
  since = '2026-01-01T00:00:00Z',
  options: WorldOptions = {},
) {
  const clock = new TestClock();
  clock.set(since);
  const here = await swimmer({ clock, ...options });
  const { ana, me } = here;
  const lives = (input: typeof days) => me().query(SET, { input });
  await lives(days);
  const streakAt = async (iso: string) => {
    here.clock.set(iso);
    return (await me().query(STREAK)).me;
  };
  const activeDays = async (from: string, to: string) => {
    const document =
      'query ($from: Date!, $to: Date!) { me { calendar(from: $from, to: $to) { date completionCount } } }';
    const { calendar } = (await me().query(document, { from, to })).me;
    return (calendar as { date: string; completionCount: number }[])
      .filter(({ completionCount }) => completionCount > 0)
      .map(({ date, completionCount }) => `${date} ${completionCount}`);
  };
  const change = (mutation: string) => me().query(`mutation { ${mutation} { __typename } }`);
  const progress = async (fields: string) =>
    (await me().query(`{ activeChallenge { progress { ${fields} } } }`)).activeChallenge.progress;
  const drifts = () => driftsOf(here, ana);
  return { ...here, lives, streakAt, activeDays, change, progress, drifts };
}

it.each([
  ['Pacific/Kiritimati', 0, '2026-11-21T09:59:59.999Z', '2026-11-21', '2026-11-21T10:00:00Z', '2026-11-22'],
  ['Europe/Berlin', 4, '2026-11-21T02:59:59.999Z', '2026-11-20', '2026-11-21T03:00:00Z', '2026-11-21'],
  // The clocks went back from 02:00 to 01:00: the day that begins at 1 begins before that.
  ['America/New_York', 1, '2026-11-01T04:59:59.999Z', '2026-10-31', '2026-11-01T05:00:00Z', '2026-11-01'],
  // They went forward from 02:00 to 03:00: at 2 it was 3.
  ['America/New_York', 2, '2026-03-08T06:59:59.999Z', '2026-03-07', '2026-03-08T07:00:00Z', '2026-03-08'],
  // Here it never was midnight, on that day.
  ['Africa/Cairo', 0, '2026-04-23T21:59:59.999Z', '2026-04-23', '2026-04-23T22:00:00Z', '2026-04-24'],
])("The days of a user in %s from %i o'clock on change between %s (%s) and %s (%s)", async (...row) => {
  const [timeZone, dayStartsAt, before, earlier, from, later] = row;
  const { me, completesAt, streakAt, activeDays } = await swimmerIn({ timeZone, dayStartsAt });
  const todayEndsAt = new Date(from).toISOString();
  expect(await streakAt(before)).toMatchObject({ today: earlier, todayEndsAt });
  await completesAt(before, from);
  expect(await activeDays(earlier, later)).toEqual([`${earlier} 1`, `${later} 1`]);
  const { today, streak } = await streakAt(from);
  expect(today).toBe(later);
  expect(streak).toMatchObject({ count: 2, longest: 2, doneToday: true, atRisk: false });
  expect((await me().profile()).current_streak, 'which goes by UTC').toBe(1);
  const atRisk = { count: 2, atRisk: true };
  const lastMoment = new Date(Date.parse(streak.aliveUntil) - 1).toISOString();
  expect(await streakAt(lastMoment)).toMatchObject({ streak: atRisk });
  expect(await streakAt(streak.aliveUntil)).toMatchObject({ streak: { count: 0 } });
});

it('The days of a user are cut by the rules that were in force', async () => {
  // Volgograd kept the time of UTC+4 until 2020-12-27, and that of UTC+3 from then on.
  const volgograd = { timeZone: 'Europe/Volgograd' };
  const { completesAt, activeDays } = await swimmerIn(volgograd, '2020-12-01T00:00:00Z');
  await completesAt('2020-12-20T20:30:00Z', '2021-01-10T20:30:00Z');
  expect(await activeDays('2020-12-01', '2021-01-31')).toEqual(['2020-12-21 1', '2021-01-10 1']);
});

it('A journey westwards has a date twice, which counts once, and breaks nothing', async () => {
  const auckland = { timeZone: 'Pacific/Auckland' };
  const { lives, completesAt, activeDays, streakAt, drifts } = await swimmerIn(auckland);
  await completesAt('2026-11-19T20:00:00Z', '2026-11-20T20:00:00Z');
  await lives({ timeZone: 'Pacific/Honolulu' });
  const streak = { count: 2, doneToday: true, aliveUntil: '2026-11-23T10:00:00.000Z' };
  expect(await streakAt('2026-11-20T21:00:00Z')).toMatchObject({ today: '2026-11-20', streak });
  await completesAt('2026-11-21T05:00:00Z', '2026-11-21T20:00:00Z');
  expect(await activeDays('2026-11-18', '2026-11-23')).toEqual(['2026-11-20 2', '2026-11-21 2']);
  expect(await streakAt('2026-11-21T20:00:00Z')).toMatchObject({ streak: { count: 2, longest: 2 } });
  expect(await drifts()).toEqual([]);
});

it('Setting the days of a user refuses what is no time zone or hour, and changes nothing', async () => {
  const { me } = await swimmerIn({ timeZone: 'Asia/Kolkata', dayStartsAt: 3 });
  const NO_ZONE = 'Time zone must be a name of the IANA database, such as Europe/Berlin';
  for (const [name, value, message] of [
    ...['No/Where', 'europe/berlin', 'CET', '+05:30'].map((zone) => ['timeZone', zone, NO_ZONE] as const),
    ['timeZone', null, 'Time zone cannot be null: leave it out to keep it'],
    ...[7, -1].map(
      (hour) => ['dayStartsAt', hour, 'Day starts at must be a whole hour from 0 to 6'] as const,
    ),
  ] as const) {
    const { errors } = await me().rest.ask(SET, { input: { [name]: value, name: 'Bea' } });
    expect(errors).toMatchObject([{ message, extensions: { fields: [{ name, message }] } }]);
  }
  expect(await me().query('{ me { name timeZone dayStartsAt } }')).toEqual({
    me: { name: 'Ana', timeZone: 'Asia/Kolkata', dayStartsAt: 3 },
  });
});

it("Undoing takes back what is of the user's today, or of the UTC day today, however little of the past may be", async () => {
  const config = { ...configOf(), backdateHours: 0 };
  const honolulu = { timeZone: 'Pacific/Honolulu' };
  const { me, clock, swim, drifts } = await swimmerIn(honolulu, undefined, { config });
  const complete = async (iso: string) => {
    clock.set(iso);
    return (await me().completes(swim)).body.id as number;
  };
  const isUndone = async (id: number) =>
    !(await me().rest.ask(`mutation { undoCompletion(id: ${id}) { completionId } }`)).errors;
  const tooOld = await complete('2026-11-20T09:00:00Z');
  const ofToday = await complete('2026-11-20T20:00:00Z');
  const ofUtcToday = await complete('2026-11-21T01:00:00Z');
  clock.set('2026-11-21T09:59:59Z');
  expect([await isUndone(tooOld), await isUndone(ofToday)]).toEqual([false, true]);
  expect(await me().profile()).toMatchObject({ points: 5, current_streak: 2 });
  clock.set('2026-11-21T10:00:00Z');
  expect(await isUndone(ofUtcToday)).toBe(true);
  expect(await me().profile()).toMatchObject({ points: 2.5, current_streak: 1 });
  expect(await drifts()).toEqual([]);
});

describe('Progress of a challenge', () => {
  const ALL = 'daysElapsed daysDone isOver';

  it('is told in the days of the user', async () => {
    const tokyo = { timeZone: 'Asia/Tokyo' };
    const { me, clock, lives, progress } = await swimmerIn(tokyo, '2026-11-20T14:00:00Z');
    await me().hasAccepted(4); // it takes three days
    const linked = await me().hasTask({ challenge_template_id: 4 });
    expect(await progress(ALL)).toEqual({ daysElapsed: 1, daysDone: 0, isOver: false });
    await me().completes(linked);
    clock.set('2026-11-20T15:00:00Z'); // midnight in Tokyo
    await me().completes(linked);
    expect(await progress(ALL)).toEqual({ daysElapsed: 2, daysDone: 2, isOver: false });
    clock.set('2026-11-22T15:00:00Z');
    await me().completes(linked); // after the last day
    expect(await progress(ALL)).toEqual({ daysElapsed: 3, daysDone: 2, isOver: true });
    // Back to a day that is the first one here.
    clock.set('2026-11-20T16:00:00Z');
    await lives({ timeZone: 'Pacific/Honolulu' });
    await me().completes(linked);
    expect(await progress('daysDone')).toEqual({ daysDone: 2 });
  });

  it('counts days on which a linked task was kept, also before it was accepted on that day', async () => {
    const berlin = { timeZone: 'Europe/Berlin' };
    const { me, clock, change, progress } = await swimmerIn(berlin, '2026-11-20T08:00:00Z');
    const { id } = await me().hasAccepted(4);
    await change(
      'createTask(input: { title: "Water", challengeTemplateId: 4, target: { amount: 8, unit: "cl" } })',
    );
    const { tasks } = await me().query('{ tasks { nodes { id } } }');
    const daysDoneAfter = async (amount: number) => {
      await change(`completeTask(taskId: ${tasks.nodes[1].id}, amount: ${amount})`);
      return (await progress('daysDone')).daysDone;
    };
    expect([await daysDoneAfter(1), await daysDoneAfter(7)]).toEqual([0, 1]);
    await change(`abandonChallenge(id: ${id})`);
    clock.set('2026-11-20T18:00:00Z');
    await me().hasAccepted(4);
    clock.set('2026-11-21T08:00:00Z');
    expect([await daysDoneAfter(7.5), await daysDoneAfter(0.5)]).toEqual([1, 2]);
  });

  it('stays when it has ended and its habits are chosen for another one, or for it no more', async () => {
    const berlin = { timeZone: 'Europe/Berlin' };
    const { me, clock, change, progress } = await swimmerIn(berlin, '2026-11-20T08:00:00Z');
    const { id } = await me().hasAccepted(4);
    const linked = await me().hasTask({ challenge_template_id: 4 });
    await me().completes(linked);
    await change(`completeChallenge(id: ${id})`);
    clock.set('2026-11-21T08:00:00Z');
    await me().hasAccepted(1);
    for (const to of ['1', 'null']) {
      await change(`updateTask(id: ${linked.id}, input: { challengeTemplateId: ${to} })`);
      const { challenge } = await me().query(`{ challenge(id: ${id}) { progress { isTracked daysDone } } }`);
      expect(challenge.progress).toEqual({ isTracked: true, daysDone: 1 });
    }
    expect(await progress('isTracked')).toEqual({ isTracked: false });
  });
});

describe('A flight from Auckland to Honolulu and back', () => {
  const AUCKLAND = { timeZone: 'Pacific/Auckland' };

  it('leaves the first and last day of a challenge, and that on which a habit was last archived, where they were', async () => {
    const { me, clock, lives, change } = await swimmerIn(AUCKLAND, '2026-11-20T20:00:00Z'); // the 21st
    await me().hasAccepted(4);
    const linked = await me().hasTask({ challenge_template_id: 4 });
    await me().completes(linked);
    const atNineOf = (day: number) => clock.set(`2026-11-${day - 1}T20:00:00Z`);
    atNineOf(23); // the last day
    await me().completes(linked);
    const run = await me().hasTask({ title: 'Run' });
    atNineOf(25);
    await change(`archiveTask(id: ${run.id})`);
    atNineOf(28);
    const told = () =>
      me().query(`{ activeChallenge { progress { firstDay daysDone daysTotal isOver } }
        me { calendar(from: "2026-11-22", to: "2026-11-26") { date dueCount keptCount } } }`);
    const before = await told();
    const ended = { firstDay: '2026-11-21', daysDone: 2, daysTotal: 3, isOver: true };
    expect(before.activeChallenge.progress).toMatchObject(ended);
    expect(before.me.calendar.map(({ dueCount }: { dueCount: number }) => dueCount)).toEqual([2, 3, 3, 2, 2]);
    for (const timeZone of ['Pacific/Honolulu', 'Pacific/Auckland']) {
      await lives({ timeZone });
      expect(await told()).toEqual(before);
    }
    for (const field of ['unarchiveTask', 'archiveTask']) await change(`${field}(id: ${run.id})`);
    const { calendar } = (await told()).me;
    expect(calendar.map(({ dueCount }: { dueCount: number }) => dueCount)).toEqual([2, 3, 3, 3, 3]);
  });
});

it('A time zone that the database does not know has requests refused, not failed, until another is set', async () => {
  const { ana, swim, me, lives, database, completesAt } = await swimmerIn({ timeZone: 'Europe/Berlin' });
  const users = database.query();
  await sql`update user_progress set time_zone = 'Mars/Olympus' where user_id = ${ana.id}`.execute(users);
  const unknown = 'does not know the time zone of your account';
  expect(await me().completes(swim)).toMatchObject({ status: 400, text: expect.stringContaining(unknown) });
  await expect(me().query(STREAK)).rejects.toThrow(unknown);
  await lives({ timeZone: 'Europe/Paris' });
  await completesAt('2026-01-01T12:00:00Z');
});
