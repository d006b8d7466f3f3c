import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { streakOn } from '../../src/features/history/streaks/streak.js';
import { dayAt, numberOf } from '../../src/features/schedules/day.js';
import { Judge, NeutralDays, type Rest } from '../../src/features/schedules/judge.js';
import { type Done, judgedDays } from '../../src/features/schedules/judged-days.js';
import { Limit } from '../../src/features/schedules/limit.js';
import { limitDays, limitStatisticsOf } from '../../src/features/schedules/limit-days.js';
import { EVERY_DAY, type Schedule } from '../../src/features/schedules/schedule.js';
import { statisticsOf } from '../../src/features/schedules/statistics.js';
import type { PeriodTarget } from '../../src/features/schedules/target.js';

const MONDAY = numberOf('2026-11-02');
const THURSDAY = MONDAY + 10; // of the second week
const LETTERS = {
  ...{ KEPT: 'K', PARTIAL: 'h', MISSED: 'M', SKIPPED: 's', PAUSED: 'p', REST: '.', OPEN: 'O', FUTURE: 'F' },
  ...{ WITHIN: 'w', EXCEEDED: 'X' },
};
const EFFECTS = { NONE: '.', STARTED: 'S', CONTINUED: 'C', BROKEN: 'B' };

const SWIM: Schedule = { kind: 'weekdays', weekdays: ['MONDAY', 'WEDNESDAY', 'FRIDAY'] };
const everySecond: Schedule = { kind: 'every', days: 2, grace: 0 };
const forgiving: Schedule = { kind: 'every', days: 2, grace: 1 };
const weekly = (times: number): Schedule => ({ kind: 'times', times, per: 'WEEK' });
const monthly = (times: number): Schedule => ({ kind: 'times', times, per: 'MONTH' });
/** Half of a day's amount, three times a week. */
const TWELVE: PeriodTarget = { amount: 12_000, per: 'WEEK' };

interface Facts {
  schedule: Schedule;
  target: PeriodTarget | null;
  made: number;
  weekStartsOn: 'MONDAY' | 'SATURDAY' | 'SUNDAY';
  rests: Rest[];
}

const SWIMS = { schedule: SWIM };
const SECOND = { schedule: everySecond };
const GRACE = { schedule: forgiving };
const TWICE = { schedule: weekly(2) };
const THRICE = { schedule: weekly(3) };
const OF_WEEK = { target: TWELVE };

/** A day a letter, from a Monday on: x done, h half done, s skipped, p paused, or an amount. Blanks are for the eye. */
function read(story: string, given: Partial<Facts> = {}) {
  const { schedule = EVERY_DAY, target = null, made = MONDAY, weekStartsOn = 'MONDAY', rests = [] } = given;
  const letters = [...story.replaceAll(' ', '')];
  const kinds: Record<string, Rest['kind']> = { s: 'SKIPPED', p: 'PAUSED' };
  const own = letters.flatMap((letter, index): Rest[] => {
    const kind = kinds[letter];
    return kind ? [{ kind, first: MONDAY + index, last: MONDAY + index }] : [];
  });
  const neutral = new NeutralDays([...own, ...rests]);
  const amounts: Record<string, string> = { x: '8', h: '4' };
  const days = new Map<number, Done>();
  for (const [index, letter] of letters.entries()) {
    const amount = amounts[letter] ?? letter;
    const isKept = letter === 'x' || target !== null;
    if (/\d/.test(amount)) days.set(MONDAY + index, { completionCount: 1, points: '1', amount, isKept });
  }
  const judge = new Judge(schedule, neutral, weekStartsOn, target);
  const range = { from: MONDAY, to: MONDAY + letters.length - 1 };
  const historyOn = (today: number) => ({ days, today, madeOn: made });
  const kept = [...days].filter(([, { isKept }]) => isKept);
  const run = judge.runOf(kept.map(([day, { amount }]) => ({ day, amount: Number(amount) * 1_000 })));
  const judgedOn = (today: number, of = range) => judgedDays(judge, historyOn(today), of);
  const streakOnDay = (today: number) => {
    const [day] = judgedOn(today, { from: today, to: today });
    return streakOn({ today, isKept: day?.isKept ?? false, isDue: day?.isDue ?? false }, judge, run);
  };
  const statistics = (today = range.to, of = range) => statisticsOf(judge, historyOn(today), of);
  return { range, neutral, historyOn, judgedOn, streakOnDay, statistics };
}

const weeks = (letters: string[]) => letters.join('').replace(/(.{7})(?=.)/g, '$1 ');

describe('The state of a day', () => {
  it.each<[string, Partial<Facts>, string, string]>([
    ['of every day', {}, 'x-xspxx xx---xx', 'KMKspKK KKMOFKK'],
    ['of weekdays: what was not due is rest', SWIMS, 'x-x-xx- --s-p--', 'K.K.KK. M.s.pFF'],
    ['of every second day: due from then on', SECOND, 'x--x--- x------', 'K.MK.MM K.MOFFF'],
    ['of it: neutral days are not counted', SECOND, 'xs-ss-- -------', 'Ks.ssMM MMMOFFF'],
    ['of it, a day of grace: it is not missed', GRACE, 'x--x--- x------', 'K..K..M K..OFFF'],
    ['of it, a day of grace: today it is open', GRACE, 'x------ --x----', 'K..MMMM MMK.FFF'],
    ['of twice a week: no single day is missed', TWICE, 'x------ x--x---', 'K...... K..KFFF'],
    ['of it: due until it was done twice', TWICE, 'x------ x------', 'K...... K..OFFF'],
    ['of it: and then no more', TWICE, 'x------ xx-----', 'K...... KK..FFF'],
    ['half done', {}, 'xh---x- x--h---', 'KhMMMKM KMMhFFF'],
    ['of an amount a week: each that adds to it is kept', OF_WEEK, 'h-h---- h--h---', 'K.K.... K..KFFF'],
    ['of it: due until it is reached', OF_WEEK, 'xh----- h------', 'KK..... K..OFFF'],
    ['before it was made: rest, unless something was done', { made: MONDAY + 2 }, '-x-', '.KM'],
  ])('%s', (_what, facts, story, expected) => {
    expect(
      weeks(
        read(story, facts)
          .judgedOn(THURSDAY)
          .map(({ state }) => LETTERS[state]),
      ),
    ).toBe(expected);
  });

  it('is kept or half done even if it was paused', () => {
    const rests: Rest[] = [{ kind: 'PAUSED', first: MONDAY, last: Number.POSITIVE_INFINITY }];
    expect(
      read('xh', { rests })
        .judgedOn(THURSDAY)
        .map(({ state }) => state),
    ).toEqual(['KEPT', 'PARTIAL']);
  });

  it.each<[string, number, Partial<Omit<Facts, 'target'>>, string, string]>([
    [
      'is within a limit until it is exceeded, and kept when it is over',
      2,
      {},
      '2--3-12 21-2---',
      'KKKXKKK KKKwFFF',
    ],
    ['is forgiven where it was skipped or paused', 2, {}, 's-p----', 'sKpKKKK'],
    ['is rest on other weekdays', 2, SWIMS, '-9--3--', 'K.K.X..'],
    ['is judged from the first record on', 2, { made: MONDAY + 4 }, '--5----', '..XKKKK'],
  ])('of a limit %s', (_what, amount, { schedule = EVERY_DAY, ...facts }, story, expected) => {
    const { neutral, historyOn, range } = read(story, facts);
    const limit = new Limit(schedule, neutral, 'MONDAY', { amount, per: 'DAY' });
    const days = limitDays(limit, historyOn(THURSDAY), range);
    expect(weeks(days.map(({ state }) => LETTERS[state]))).toBe(expected);
  });
});

describe('A limit of a week', () => {
  it('is exceeded on the days by which the sum of the week is above it, but for neutral ones', () => {
    const { neutral, historyOn, range } = read('4s-44-4 --1----', {});
    const limit = new Limit(EVERY_DAY, neutral, 'MONDAY', { amount: 7, per: 'WEEK' });
    const history = historyOn(MONDAY + 14);
    const days = limitDays(limit, history, range);
    expect(weeks(days.map(({ state }) => LETTERS[state]))).toBe('KsKXXKX KKKKKKK');
    expect(weeks(days.map(({ effect }) => EFFECTS[effect]))).toBe('....... ......S');
    const { by, byWeekday, ...sums } = limitStatisticsOf(limit, history, range);
    expect(sums).toMatchObject({ dueDays: 2, keptDays: 1, missedDays: 1, rate: 0.5 });
    expect(by('WEEK').map(({ dueCount, keptCount }) => [dueCount, keptCount])).toEqual([
      [1, 0],
      [1, 1],
    ]);
    expect(byWeekday.every(({ dueCount }) => dueCount === 0)).toBe(true);
  });
});

describe('The run', () => {
  type Expected = { count: number; longest?: number; ends?: number; atRisk?: boolean };

  /** `ends` is the day with whose end the run ends, counted from that Monday. Today is the last day of the story. */
  it.each<[string, Partial<Facts>, string, Expected]>([
    ['of every day', {}, 'xxx', { count: 3, ends: 3 }],
    ['of every day: today is still open', {}, 'xxx-', { count: 3, ends: 3, atRisk: true }],
    ['of every day: a day was missed', {}, 'xxx--', { count: 0, longest: 3 }],
    ['of every day: neutral days join, but do not count', {}, 'xxspx', { count: 3, ends: 5 }],
    ['of every day: today is skipped', {}, 'xxs', { count: 2, ends: 3 }],
    ['of every day: half is not kept', {}, 'xxhx', { count: 1, longest: 2, ends: 4 }],
    ['of weekdays: rest days break nothing', SWIMS, 'x-x-x-- -', { count: 3, ends: 7, atRisk: true }],
    ['of weekdays: what was done on rest days counts', SWIMS, 'xxx-x-x', { count: 5, ends: 7 }],
    ['of weekdays: a due day was missed', SWIMS, 'x-x---x', { count: 1, longest: 2, ends: 7 }],
    ['of weekdays: a due day was skipped', SWIMS, 'x-s-x--', { count: 2, ends: 7 }],
    ['of weekdays: it lives while a due day lasts', SWIMS, 'x-x-x-- x-', { count: 4, ends: 9 }],
    ['of every second day', SECOND, 'x-x-x', { count: 3, ends: 6 }],
    ['of it: on the day in between, too', SECOND, 'xxx', { count: 3, ends: 4 }],
    ['of it: at risk', SECOND, 'x-x--', { count: 2, ends: 4, atRisk: true }],
    ['of it: over', SECOND, 'x-x---', { count: 0, longest: 2 }],
    ['of it: neutral days are not counted', SECOND, 'xss-x', { count: 2, ends: 6 }],
    ['of it: too late', SECOND, 'xs--x', { count: 1, ends: 6 }],
    ['of it, a day of grace: late', GRACE, 'x--x--x-', { count: 3, ends: 9 }],
    ['of it, a day of grace: at risk', GRACE, 'x---', { count: 1, ends: 3, atRisk: true }],
    ['of it, a day of grace: too late', GRACE, 'x---x', { count: 1, ends: 7 }],
    ['of twice a week', TWICE, 'xx----- x--x---', { count: 2, ends: 20 }],
    ['of it: the current one may still come', TWICE, 'xx----- x--', { count: 1, ends: 13 }],
    ['of it: at risk', TWICE, 'xx----- x------', { count: 1, ends: 13, atRisk: true }],
    ['of it: over', TWICE, 'xx----- x------ -', { count: 0, longest: 1 }],
    ['of it: a neutral week is passed over', TWICE, 'xx----- sssspps xx', { count: 2, ends: 27 }],
    ['of three: fewer days are left', THRICE, 'xxx---- sssspxp x', { count: 2, ends: 20 }],
    [
      'of weeks that begin on Saturday',
      { schedule: weekly(2), weekStartsOn: 'SATURDAY' },
      '------- -----x- x',
      { count: 1, ends: 25 },
    ],
    ['of an amount a week', OF_WEEK, 'h-hh--- x---h', { count: 2, ends: 20 }],
    ['of it: a neutral week is passed over', OF_WEEK, 'xh----- sssspps hx', { count: 2, ends: 27 }],
    ['of it: neutral days take nothing off', OF_WEEK, 'xh----- sssspx- -', { count: 0, longest: 1 }],
  ])('%s', (_what, facts, story, { count, longest = count, ends, atRisk = false }) => {
    const { range, streakOnDay } = read(story, facts);
    expect(streakOnDay(range.to)).toMatchObject({
      ...{
        count,
        longest,
        atRisk,
        doneToday: /[xh]$/.test(story) && (facts.target != null || story.endsWith('x')),
      },
      end: ends === undefined ? null : MONDAY + ends,
    });
  });

  it('has a unit', () => {
    const units = [SWIM, everySecond, weekly(1), monthly(3)].map(
      (schedule) => read('x', { schedule }).streakOnDay(MONDAY).unit,
    );
    expect(units).toEqual(['DAYS', 'TIMES', 'WEEKS', 'MONTHS']);
  });

  it.each([SWIM, everySecond, weekly(1)])('of %j cannot end in an open pause', (schedule) => {
    const rests: Rest[] = [{ kind: 'PAUSED', first: MONDAY + 1, last: Number.POSITIVE_INFINITY }];
    const { streakOnDay } = read('x-', { schedule, rests });
    expect(streakOnDay(MONDAY + 100)).toMatchObject({ count: 1, end: null, atRisk: false });
  });

  it('goes by calendar months', () => {
    const { streakOnDay } = read(`xx${'-'.repeat(27)} x-------- x`, { schedule: monthly(2) }); // to 10 December
    expect(streakOnDay(numberOf('2026-12-31'))).toMatchObject({ count: 2, end: numberOf('2027-01-31') });
    expect(streakOnDay(numberOf('2027-02-01'))).toMatchObject({ count: 0, longest: 2 });
  });
});

describe('The effect of a day', () => {
  it.each<[string, Schedule, string, string]>([
    ['of every day', EVERY_DAY, 'xx---s- x--', 'SCB.... SB.'],
    ['of every day with neutral days', EVERY_DAY, 'xsx-x--', 'S.CBSB.'],
    ['of weekdays', SWIM, 'x-xx--- x--', 'S.CCB.. S..'],
    ['of every second day', everySecond, 'x-x--x- -', 'S.C.BS. .'],
    ['of every second day, over', everySecond, 'x-x--x- --', 'S.C.BS. B.'],
    ['of twice a week', weekly(2), 'x-xx--- -xx---- x------ -', '..S.... ..C.... ......B .'],
    ['of twice a week, passed over', weekly(2), 'x-x---- sssssss x-x', '..S.... ....... ..C'],
  ])('%s', (_what, schedule, story, expected) => {
    const { judgedOn, range } = read(story, { schedule });
    expect(weeks(judgedOn(range.to).map(({ effect }) => EFFECTS[effect]))).toBe(expected);
  });

  it('adds up to the run', () => {
    const schedules = [EVERY_DAY, SWIM, everySecond, forgiving, weekly(2), weekly(5), monthly(4)];
    const letters = fc.string({
      unit: fc.constantFrom(...'xxxx--hsp'),
      minLength: 1,
      maxLength: 70,
      size: 'max',
    });
    const property = fc.property(letters, fc.constantFrom(...schedules), (story, schedule) => {
      const { judgedOn, range, streakOnDay } = read(story, { schedule });
      const runs = [0];
      for (const { effect } of judgedOn(range.to)) {
        if (effect === 'STARTED') runs.push(1);
        if (effect === 'CONTINUED') runs.push((runs.pop() ?? 0) + 1);
        if (effect === 'BROKEN') runs.push(0);
      }
      expect(streakOnDay(range.to)).toMatchObject({ count: runs.at(-1), longest: Math.max(...runs) });
    });
    fc.assert(property, { numRuns: 300 });
  });
});

describe('The statistics', () => {
  it.each<[string, Partial<Facts>, string, object]>([
    [
      'count what was due and not neutral, today only if it is kept',
      SWIMS,
      'xx-s--x x-p',
      { dueDays: 4, keptDays: 4, missedDays: 2, neutralDays: 2, completionCount: 4, points: 4, rate: 1 / 2 },
    ],
    [
      'count nothing as due before the task was made',
      { made: MONDAY + 3 },
      '-x-x-',
      { dueDays: 1, keptDays: 2, missedDays: 0, rate: 1 },
    ],
    [
      'count periods that end in the range, where times are due per period',
      TWICE,
      'xx----- sssssss x------ x-',
      { dueDays: 4, keptDays: 4, missedDays: 1, neutralDays: 7, rate: 1 / 2 },
    ],
    [
      'count weeks with a target as due and missed, and days on which something was done as kept',
      OF_WEEK,
      'x------ hx--h-- x-',
      { dueDays: 2, keptDays: 5, missedDays: 1, rate: 1 / 2 },
    ],
    [
      'count a day as due that a pause would forgive, if it was the last that was missing',
      { schedule: everySecond, rests: [{ kind: 'PAUSED', first: MONDAY + 2, last: MONDAY + 9 }] },
      'x--x',
      { dueDays: 2, keptDays: 2, missedDays: 0, rate: 1 },
    ],
  ])('%s', (_what, facts, story, expected) => {
    expect(read(story, facts).statistics()).toMatchObject(expected);
  });

  it('by week and month', () => {
    const counts = (schedule: Schedule, story: string, per: 'WEEK' | 'MONTH') =>
      read(story, { schedule })
        .statistics()
        .by(per)
        .map(({ dueCount, keptCount }) => [dueCount, keptCount]);
    const twice = 'xx----- sssssss x------ x-';
    expect(counts(weekly(2), twice, 'WEEK')).toEqual([
      [2, 2],
      [0, 0],
      [2, 1],
      [0, 1],
    ]); // the last goes on
    expect(counts(weekly(2), twice, 'MONTH')).toEqual([[0, 4]]);
    const swum = read('xx-s--x x-p', { ...SWIMS, weekStartsOn: 'SUNDAY' }).statistics();
    expect(swum.byWeekday.map(({ weekday, dueCount, keptCount }) => [weekday, dueCount, keptCount])).toEqual([
      ...[
        ['SUNDAY', 0, 1],
        ['MONDAY', 2, 2],
        ['TUESDAY', 0, 1],
      ],
      ...[
        ['WEDNESDAY', 1, 0],
        ['THURSDAY', 0, 0],
        ['FRIDAY', 1, 0],
        ['SATURDAY', 0, 0],
      ],
    ]);
  });

  it('know the months of any year', () => {
    const range = { from: numberOf('0099-12-31'), to: numberOf('0100-01-01') };
    expect(
      read('', {})
        .statistics(THURSDAY, range)
        .by('MONTH')
        .map(({ from, to }) => [dayAt(from), dayAt(to)]),
    ).toEqual([
      ['0099-12-01', '0099-12-31'],
      ['0100-01-01', '0100-01-31'],
    ]);
  });
});
