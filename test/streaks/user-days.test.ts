import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { daysAfter } from '../../src/features/schedules/day.js';
import { configOf } from '../support/database.js';
import { driftsOf } from '../support/drifts.js';
import { TestClock, type WorldOptions } from '../support/world.js';
import { swimmer } from './swimmer.js';

const SET = 'mutation ($input: UpdateProfileInput!) { updateProfile(input: $input) { user { id } } }';
const STREAK = '{ me { today todayEndsAt streak { count longest doneToday atRisk aliveUntil } } }';

interface Days {
  timeZone?: string;
  dayStartsAt?: number;
}

/** Someone who swims, somewhere. */
async function swimmerIn(days: Days = {}, since = '2026-01-01T00:00:00Z', options: WorldOptions = {}) {
  const clock = new TestClock();
  clock.set(since);
  const here = await swimmer({ clock, ...options });
  const { ana, me } = here;
  const lives = (input: Days) => me().query(SET, { input });
  if (Object.keys(days).length > 0) await lives(days);
  const streakAt = async (iso: string) => {
    here.clock.set(iso);
    return (await me().query(STREAK)).me;
  };
  const activeDays = async (from: string, to: string) => {
    const document =
      'query ($from: Date!, $to: Date!) { me { calendar(from: $from, to: $to) { date completionCount } } }';
    const { me: user } = await me().query(document, { from, to });
    const days: { date: string; completionCount: number }[] = user.calendar;
    return days
      .filter(({ completionCount }) => completionCount > 0)
      .map(({ date, completionCount }) => `${date} ${completionCount}`);
  };
  return { ...here, lives, streakAt, activeDays, driftsOf: () => driftsOf(here, ana) };
}

describe('The days of a user', () => {
  it.each([
    ['Pacific/Kiritimati', 0, '2026-11-21T09:59:59.999Z', '2026-11-21', '2026-11-21T10:00:00Z', '2026-11-22'],
    ['Europe/Berlin', 4, '2026-11-21T02:59:59.999Z', '2026-11-20', '2026-11-21T03:00:00Z', '2026-11-21'],
    // The clocks went back from 02:00 to 01:00: the day that begins at 1 begins before that.
    ['America/New_York', 1, '2026-11-01T04:59:59.999Z', '2026-10-31', '2026-11-01T05:00:00Z', '2026-11-01'],
    // They went forward from 02:00 to 03:00: at 2 it was 3.
    ['America/New_York', 2, '2026-03-08T06:59:59.999Z', '2026-03-07', '2026-03-08T07:00:00Z', '2026-03-08'],
    // Here it never was midnight, on that day.
    ['Africa/Cairo', 0, '2026-04-23T21:59:59.999Z', '2026-04-23', '2026-04-23T22:00:00Z', '2026-04-24'],
  ])("in %s from %i o'clock on change between %s (%s) and %s (%s)", async (...row) => {
    const [timeZone, dayStartsAt, before, earlier, from, later] = row;
    const { completesAt, streakAt, activeDays } = await swimmerIn({ timeZone, dayStartsAt });
    const todayEndsAt = new Date(from).toISOString();
    expect(await streakAt(before)).toMatchObject({ today: earlier, todayEndsAt });
    expect((await streakAt(from)).today).toBe(later);
    await completesAt(before, from);
    expect(await activeDays(earlier, later)).toEqual([`${earlier} 1`, `${later} 1`]);
    const { streak } = await streakAt(from);
    expect(streak).toMatchObject({ count: 2, longest: 2, doneToday: true, atRisk: false });
    expect(await streakAt(new Date(Date.parse(streak.aliveUntil) - 1).toISOString())).toMatchObject({
      streak: { count: 2, atRisk: true },
    });
    expect(await streakAt(streak.aliveUntil)).toMatchObject({ streak: { count: 0 } });
  });

  it('are cut by the rules that were in force', async () => {
    // Volgograd kept the time of UTC+4 until 2020-12-27, and that of UTC+3 from then on.
    const volgograd = { timeZone: 'Europe/Volgograd' };
    const { completesAt, activeDays } = await swimmerIn(volgograd, '2020-12-01T00:00:00Z');
    await completesAt('2020-12-20T20:30:00Z', '2021-01-10T20:30:00Z');
    expect(await activeDays('2020-12-01', '2021-01-31')).toEqual(['2020-12-21 1', '2021-01-10 1']);
  });
});

describe('A journey', () => {
  it('westwards has a date twice, which counts once, and breaks nothing', async () => {
    const auckland = { timeZone: 'Pacific/Auckland' };
    const { lives, completesAt, activeDays, streakAt, driftsOf } = await swimmerIn(auckland);
    await completesAt('2026-11-19T20:00:00Z', '2026-11-20T20:00:00Z');
    await lives({ timeZone: 'Pacific/Honolulu' });
    const streak = { count: 2, doneToday: true, aliveUntil: '2026-11-23T10:00:00.000Z' };
    expect(await streakAt('2026-11-20T21:00:00Z')).toMatchObject({ today: '2026-11-20', streak });
    await completesAt('2026-11-21T05:00:00Z', '2026-11-21T20:00:00Z');
    expect(await activeDays('2026-11-18', '2026-11-23')).toEqual(['2026-11-20 2', '2026-11-21 2']);
    expect(await streakAt('2026-11-21T20:00:00Z')).toMatchObject({ streak: { count: 2, longest: 2 } });
    expect(await driftsOf()).toEqual([]);
  });
});

it('UTC counters and REST know nothing of the days of a user', async () => {
  const { me, completesAt } = await swimmerIn({ timeZone: 'Pacific/Kiritimati', dayStartsAt: 2 });
  await completesAt('2026-11-20T11:00:00Z', '2026-11-20T13:00:00Z', '2026-11-21T00:00:00Z');
  expect(await me().profile()).toMatchObject({ points: 7.5, current_streak: 2, max_streak: 2 });
});

describe('Setting the days of a user', () => {
  it('refuses what is no time zone or hour, and changes nothing', async () => {
    const { me } = await swimmerIn({ timeZone: 'Asia/Kolkata', dayStartsAt: 3 });
    const NO_ZONE = 'Time zone must be a name of the IANA database, such as Europe/Berlin';
    const NO_HOUR = 'Day starts at must be a whole hour from 0 to 6';
    const cases: [object, string][] = [
      ...['No/Where', 'europe/berlin', 'CET', '+05:30'].map((timeZone): [object, string] => [
        { timeZone },
        NO_ZONE,
      ]),
      [{ timeZone: null }, 'Time zone cannot be null: leave it out to keep it'],
      ...[7, -1].map((dayStartsAt): [object, string] => [{ dayStartsAt }, NO_HOUR]),
    ];
    for (const [input, message] of cases) {
      const { errors } = await me().rest.ask(SET, { input: { ...input, name: 'Bea' } });
      const fields = [{ name: Object.keys(input)[0], message }];
      expect(errors).toMatchObject([{ message, extensions: { code: 'BAD_USER_INPUT', fields } }]);
    }
    expect(await me().query('{ me { name timeZone dayStartsAt } }')).toEqual({
      me: { name: 'Ana', timeZone: 'Asia/Kolkata', dayStartsAt: 3 },
    });
  });
});

it("Undoing takes back what is of the user's today, or of the UTC day today, however little of the past may be", async () => {
  const config = { ...configOf(), backdateHours: 0 };
  const honolulu = { timeZone: 'Pacific/Honolulu' };
  const { me, clock, swim, driftsOf } = await swimmerIn(honolulu, undefined, { config });
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
  expect(await driftsOf()).toEqual([]);
  expect(await me().profile()).toMatchObject({ points: 2.5, current_streak: 1 });
});

describe('Progress of a challenge', () => {
  it('is told in the days of the user', async () => {
    const tokyo = { timeZone: 'Asia/Tokyo' };
    const { me, clock, completesAt, lives } = await swimmerIn(tokyo, '2026-11-20T14:00:00Z');
    await me().hasAccepted(4);
    const linked = await me().hasTask({ challenge_template_id: 4 });
    const fields = 'progress { daysElapsed daysDone isOver }';
    const progress = async () =>
      (await me().query(`{ activeChallenge { ${fields} } }`)).activeChallenge.progress;
    expect(await progress()).toEqual({ daysElapsed: 1, daysDone: 0, isOver: false });
    await me().completes(linked);
    clock.set('2026-11-20T15:00:00Z'); // midnight in Tokyo
    await me().completes(linked);
    expect(await progress()).toEqual({ daysElapsed: 2, daysDone: 2, isOver: false });
    await completesAt('2026-11-21T16:00:00Z');
    clock.set('2026-11-22T15:00:00Z');
    await me().completes(linked); // after the last day
    expect(await progress()).toEqual({ daysElapsed: 3, daysDone: 2, isOver: true });
    // Back to a day that is the first one here.
    clock.set('2026-11-20T16:00:00Z');
    await lives({ timeZone: 'Pacific/Honolulu' });
    await me().completes(linked);
    expect((await progress()).daysDone).toBe(2);
  });

  it('counts days on which a linked task was kept, also before it was accepted on that day', async () => {
    const { me, clock } = await swimmerIn({ timeZone: 'Europe/Berlin' }, '2026-11-20T08:00:00Z');
    const { id } = await me().hasAccepted(4);
    const { createTask } = await me().query(
      'mutation { createTask(input: { title: "Water", challengeTemplateId: 4, target: { amount: 8, unit: "glasses" } }) { task { id } } }',
    );
    const daysDoneAfter = async (amount: number) => {
      const drink = `mutation { completeTask(taskId: ${createTask.task.id}, amount: ${amount}) { isReplayed } }`;
      await me().query(drink);
      return (await me().query('{ activeChallenge { progress { daysDone } } }')).activeChallenge.progress
        .daysDone;
    };
    expect([await daysDoneAfter(1), await daysDoneAfter(7)]).toEqual([0, 1]);
    await me().query(`mutation { abandonChallenge(id: ${id}) { challenge { id } } }`);
    clock.set('2026-11-20T18:00:00Z');
    await me().hasAccepted(4);
    clock.set('2026-11-21T08:00:00Z');
    expect([await daysDoneAfter(7.5), await daysDoneAfter(0.5)]).toEqual([1, 2]);
  });
});

describe('A flight from Auckland to Honolulu and back', () => {
  it('leaves the first and last day of a challenge, and that on which a habit was archived, where they were', async () => {
    const { me, clock, lives } = await swimmerIn({ timeZone: 'Pacific/Auckland' }, '2026-11-20T20:00:00Z');
    await me().hasAccepted(4);
    const linked = await me().hasTask({ challenge_template_id: 4 });
    const day = (after: number) => daysAfter('2026-11-21', 3 + after); // it takes three days
    const atNineOf = (date: string) => clock.set(`${daysAfter(date, -1)}T20:00:00Z`);
    await me().completes(linked);
    atNineOf(day(-1)); // the last one
    await me().completes(linked);
    const run = await me().hasTask({ title: 'Run' });
    atNineOf(day(1));
    await me().query(`mutation { archiveTask(id: ${run.id}) { task { id } } }`);
    atNineOf(day(4));
    const told = () =>
      me().query(`{ activeChallenge { progress { firstDay daysDone daysTotal isOver } }
        me { calendar(from: "${day(-2)}", to: "${day(2)}") { date dueCount keptCount } } }`);
    const before = await told();
    expect(before.activeChallenge.progress).toMatchObject({
      ...{ firstDay: '2026-11-21', daysDone: 2, isOver: true },
    });
    expect(before.me.calendar.map(({ dueCount }: { dueCount: number }) => dueCount)).toEqual([2, 3, 3, 2, 2]);
    for (const timeZone of ['Pacific/Honolulu', 'Pacific/Auckland']) {
      await lives({ timeZone });
      expect(await told()).toEqual(before);
    }
  });

  it('leaves the day since which a habit is archived, whenever it was archived again', async () => {
    const { me, clock, lives } = await swimmerIn({ timeZone: 'Pacific/Auckland' }, '2026-11-20T20:00:00Z');
    const run = await me().hasTask({ title: 'Run' });
    const changes = (how: string) => me().query(`mutation { ${how}(id: ${run.id}) { task { id } } }`);
    await changes('archiveTask');
    await lives({ timeZone: 'Pacific/Honolulu' });
    await changes('unarchiveTask');
    clock.set('2026-11-23T20:00:00Z');
    await changes('archiveTask');
    clock.set('2026-11-26T20:00:00Z');
    await lives({ timeZone: 'Pacific/Auckland' });
    const days = 'calendar(from: "2026-11-21", to: "2026-11-24") { dueCount }';
    const counts = [2, 2, 1, 1].map((dueCount) => ({ dueCount }));
    expect(await me().query(`{ me { ${days} } }`)).toEqual({ me: { calendar: counts } });
  });
});

describe('A challenge that has ended', () => {
  it('keeps its days when its habits are chosen for another one, or for it no more', async () => {
    const { me, clock } = await swimmerIn({ timeZone: 'Europe/Berlin' }, '2026-11-20T08:00:00Z');
    const challenge = await me().hasAccepted(4);
    const linked = await me().hasTask({ challenge_template_id: 4 });
    await me().completes(linked);
    await me().query(`mutation { completeChallenge(id: ${challenge.id}) { challenge { id } } }`);
    clock.set('2026-11-21T08:00:00Z');
    await me().hasAccepted(1);
    const past = async () =>
      (await me().query(`{ challenge(id: ${challenge.id}) { progress { isTracked daysDone } } }`)).challenge
        .progress;
    for (const to of ['1', 'null']) {
      await me().query(
        `mutation { updateTask(id: ${linked.id}, input: { challengeTemplateId: ${to} }) { task { id } } }`,
      );
      expect(await past()).toEqual({ isTracked: true, daysDone: 1 });
    }
    const { activeChallenge } = await me().query('{ activeChallenge { progress { isTracked } } }');
    expect(activeChallenge.progress.isTracked).toBe(false);
  });
});

describe('A time zone that the database does not know', () => {
  it('has requests refused, not failed, until the user sets another', async () => {
    const { ana, swim, me, lives, database, completesAt } = await swimmerIn({ timeZone: 'Europe/Berlin' });
    await sql`update user_progress set time_zone = 'Mars/Olympus' where user_id = ${ana.id}`.execute(
      database.query(),
    );
    const { status, body } = await me().completes(swim);
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain('does not know the time zone of your account');
    await expect(me().query(STREAK)).rejects.toThrow('does not know the time zone of your account');
    await lives({ timeZone: 'Europe/Paris' });
    await completesAt('2026-01-01T12:00:00Z');
  });
});
