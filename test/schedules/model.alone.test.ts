import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { userHabit } from './life.js';
import {
  type Day,
  dayNamed,
  EVERY_DAY,
  type Facts,
  Habit,
  nameOf,
  type Schedule,
  weekdayOf,
} from './model.js';

const MONDAY = dayNamed('2026-11-02');
const TARGET = 8_000;
const LETTERS = {
  ...{ KEPT: 'K', PARTIAL: 'h', MISSED: 'M', SKIPPED: 's', PAUSED: 'p', REST: '.', OPEN: 'O', FUTURE: 'F' },
  ...{ WITHIN: 'w', EXCEEDED: 'X' },
};
const EFFECTS = { NONE: '.', STARTED: 'S', CONTINUED: 'C', BROKEN: 'B' };

const SWIM: Schedule = { weekdays: [0, 2, 4] };
const everySecond: Schedule = { everyDays: 2 };
const forgiving: Schedule = { everyDays: 2, hasGraceDay: true };
const weekly = (count: number): Schedule => ({ timesPer: { count, period: 'WEEK' } });

/** A day a letter, from a Monday on: x done, h half done, s skipped, p paused. Blanks are for the eye. */
function lifeOf(story: string, facts: Partial<Facts> = {}) {
  const letters = [...story.replaceAll(' ', '')];
  const daysOf = (letter: string): Day[] =>
    letters.flatMap((each, index) => (each === letter ? [MONDAY + index] : []));
  const half = daysOf('h').map((day) => ({ day, amount: TARGET / 2, points: 1_000 }));
  const habit = new Habit({
    schedule: EVERY_DAY,
    target: half.length > 0 ? TARGET : null,
    made: MONDAY,
    weekStartsOn: 0,
    done: [...daysOf('x').map((day) => ({ day, amount: null, points: 1_000 })), ...half],
    skips: daysOf('s'),
    pauses: daysOf('p').map((day) => ({ from: day, until: day })),
    ...facts,
  });
  const range = { from: MONDAY, to: MONDAY + letters.length - 1 };
  return { habit, range, days: letters.map((_, index) => MONDAY + index) };
}

const weeks = (letters: string[]) => letters.join('').replace(/(.{7})(?=.)/g, '$1 ');

const THURSDAY = MONDAY + 10; // of the second week

describe('The state of a day', () => {
  it.each<[string, Schedule, string, string]>([
    ['of every day', EVERY_DAY, 'x-xspxx xx---xx', 'KMKspKK KKMOFKK'],
    ['of weekdays: what was not due is rest', SWIM, 'x-x-xx- --s-p--', 'K.K.KK. M.s.pFF'],
    ['of every second day: due from then on', everySecond, 'x--x--- x------', 'K.MK.MM K.MOFFF'],
    ['of every second day: neutral days are not counted', everySecond, 'xs-ss-- -------', 'Ks.ssMM MMMOFFF'],
    [
      'of every second day, a day of grace: it is not missed',
      forgiving,
      'x--x--- x------',
      'K..K..M K..OFFF',
    ],
    [
      'of every second day, a day of grace: today it is open',
      forgiving,
      'x------ --x----',
      'K..MMMM MMK.FFF',
    ],
    ['of twice a week: no single day is missed', weekly(2), 'x------ x--x---', 'K...... K..KFFF'],
    ['of twice a week: due until it was done twice', weekly(2), 'x------ x------', 'K...... K..OFFF'],
    ['of twice a week: and then no more', weekly(2), 'x------ xx-----', 'K...... KK..FFF'],
    ['half done', EVERY_DAY, 'xh---x- x--h---', 'KhMMMKM KMMhFFF'],
  ])('%s', (_what, schedule, story, expected) => {
    const { habit, days } = lifeOf(story, { schedule });
    expect(weeks(days.map((day) => LETTERS[habit.stateOf(day, THURSDAY)]))).toBe(expected);
  });

  it('is kept or half done even if it was skipped or paused', () => {
    const { habit } = lifeOf('xh', { skips: [MONDAY, MONDAY + 1], pauses: [{ from: MONDAY, until: null }] });
    expect([MONDAY, MONDAY + 1].map((day) => habit.stateOf(day, THURSDAY))).toEqual(['KEPT', 'PARTIAL']);
  });

  it('is rest before the task was made, unless something was done', () => {
    const { habit, days } = lifeOf('-x-', { made: MONDAY + 2 });
    expect(days.map((day) => habit.stateOf(day, THURSDAY))).toEqual(['REST', 'KEPT', 'MISSED']);
  });

  it('is kept by amounts that add up to the target, where one without amount is all of it', () => {
    const done = [3_000, 5_000].map((amount) => ({ day: MONDAY, amount, points: 1_000 }));
    const whole = { day: MONDAY + 1, amount: null, points: 1_000 };
    const { habit } = lifeOf('', { target: TARGET, done: [...done, whole] });
    expect([habit.isKept(MONDAY), habit.isKept(MONDAY + 1)]).toEqual([true, true]);
    expect([habit.amountOn(MONDAY), habit.amountOn(MONDAY + 1)]).toEqual([TARGET, TARGET]);
    expect([habit.remaining(MONDAY), habit.remaining(MONDAY + 2)]).toEqual([0, TARGET]);
  });
});

describe('The run', () => {
  const NEVER = null;

  /** `ends` is the day with whose end the run ends, counted from that Monday. Today is the last day of the story. */
  it.each<
    [string, Schedule, string, { count: number; longest?: number; ends?: number | null; atRisk?: boolean }]
  >([
    ['of every day', EVERY_DAY, 'xxx', { count: 3, ends: 3 }],
    ['of every day: today is still open', EVERY_DAY, 'xxx-', { count: 3, ends: 3, atRisk: true }],
    ['of every day: a day was missed', EVERY_DAY, 'xxx--', { count: 0, longest: 3 }],
    ['of every day: neutral days join, but do not count', EVERY_DAY, 'xxspx', { count: 3, ends: 5 }],
    ['of every day: today is skipped', EVERY_DAY, 'xxs', { count: 2, ends: 3 }],
    ['of every day: half is not kept', EVERY_DAY, 'xxhx', { count: 1, longest: 2, ends: 4 }],
    ['of weekdays: rest days break nothing', SWIM, 'x-x-x-- -', { count: 3, ends: 7, atRisk: true }],
    ['of weekdays: what was done on rest days counts', SWIM, 'xxx-x-x', { count: 5, ends: 7 }],
    ['of weekdays: a due day was missed', SWIM, 'x-x---x', { count: 1, longest: 2, ends: 7 }],
    ['of weekdays: a due day was skipped', SWIM, 'x-s-x--', { count: 2, ends: 7 }],
    ['of weekdays: it lives while a due day lasts', SWIM, 'x-x-x-- x-', { count: 4, ends: 9 }],
    ['of every second day', everySecond, 'x-x-x', { count: 3, ends: 6 }],
    ['of every second day: on the day in between, too', everySecond, 'xxx', { count: 3, ends: 4 }],
    ['of every second day: due today', everySecond, 'x-x-', { count: 2, ends: 4 }],
    ['of every second day, a day of grace: late', forgiving, 'x--x--x-', { count: 3, ends: 9 }],
    ['of every second day, a day of grace: at risk', forgiving, 'x---', { count: 1, ends: 3, atRisk: true }],
    ['of every second day, a day of grace: too late', forgiving, 'x---x', { count: 1, ends: 7 }],
    ['of every second day: at risk', everySecond, 'x-x--', { count: 2, ends: 4, atRisk: true }],
    ['of every second day: over', everySecond, 'x-x---', { count: 0, longest: 2 }],
    ['of every second day: neutral days are not counted', everySecond, 'xss-x', { count: 2, ends: 6 }],
    ['of every second day: too late', everySecond, 'xs--x', { count: 1, longest: 1, ends: 6 }],
    ['of twice a week', weekly(2), 'xx----- x--x---', { count: 2, ends: 20 }],
    ['of twice a week: the current one may still come', weekly(2), 'xx----- x--', { count: 1, ends: 13 }],
    [
      'of twice a week: at risk on the last day',
      weekly(2),
      'xx----- x------',
      { count: 1, ends: 13, atRisk: true },
    ],
    ['of twice a week: over', weekly(2), 'xx----- x------ -', { count: 0, longest: 1 }],
    ['of three times a week: fewer days are left', weekly(3), 'xxx---- sssspxp x', { count: 2, ends: 20 }],
    [
      'of twice a week: a neutral week is passed over',
      weekly(2),
      'xx----- sssspps xx',
      { count: 2, ends: 27 },
    ],
  ])('%s', (_what, schedule, story, { count, longest = count, ends = NEVER, atRisk = false }) => {
    const { habit, range } = lifeOf(story, { schedule });
    const { unit: _unit, aliveUntil, doneToday, ...rest } = habit.streak(range.to);
    expect({ ...rest, ends: aliveUntil && aliveUntil - MONDAY }).toEqual({ count, longest, atRisk, ends });
    expect(doneToday).toBe(story.endsWith('x'));
  });

  it('has a unit', () => {
    const month: Schedule = { timesPer: { count: 3, period: 'MONTH' } };
    const units = [SWIM, everySecond, weekly(1), month].map(
      (schedule) => lifeOf('x', { schedule }).habit.streak(MONDAY).unit,
    );
    expect(units).toEqual(['DAYS', 'TIMES', 'WEEKS', 'MONTHS']);
  });

  it.each([SWIM, everySecond, weekly(1)])('of %j cannot end in an open pause', (schedule) => {
    const { habit } = lifeOf('x-', { schedule, pauses: [{ from: MONDAY + 1, until: null }] });
    expect(habit.streak(MONDAY + 100)).toMatchObject({ count: 1, aliveUntil: null, atRisk: false });
  });

  it('goes by weeks as the user begins them', () => {
    const saturdays = { schedule: weekly(2), weekStartsOn: 5 };
    const { habit } = lifeOf('------- -----x- x------ -', saturdays);
    expect(habit.streak(MONDAY + 14)).toMatchObject({ count: 1, aliveUntil: dayNamed('2026-11-27') });
    expect(weekdayOf(dayNamed('2026-11-27'))).toBe(4);
  });

  it('goes by calendar months', () => {
    const done = ['2026-10-01', '2026-10-31', '2026-11-03', '2026-11-30'].map((name) => ({
      ...{ day: dayNamed(name), amount: null, points: 0 },
    }));
    const { habit } = lifeOf('', { schedule: { timesPer: { count: 2, period: 'MONTH' } }, done });
    const { aliveUntil, count } = habit.streak(dayNamed('2026-12-31'));
    expect([count, nameOf(aliveUntil ?? 0)]).toEqual([2, '2026-12-31']);
    expect(habit.streak(dayNamed('2027-01-01'))).toMatchObject({ count: 0, longest: 2 });
  });

  it('of the user knows pauses of everything, and no other neutral days', () => {
    const done = [0, 1, 4].map((index) => ({ day: MONDAY + index, amount: 1, points: 0 }));
    const pauses = [{ from: MONDAY + 2, until: MONDAY + 3 }];
    expect(userHabit(done, pauses).streak(MONDAY + 4)).toMatchObject({ unit: 'DAYS', count: 3, longest: 3 });
    expect(userHabit(done, []).streak(MONDAY + 4)).toMatchObject({ count: 1, longest: 2 });
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
    const { habit, days, range } = lifeOf(story, { schedule });
    expect(weeks(days.map((day) => EFFECTS[habit.effectOf(day, range.to)]))).toBe(expected);
  });
});

describe('The statistics', () => {
  it('count what was due and not neutral, today only if it is kept', () => {
    const story = 'xx-s--x x-p';
    const { habit, range } = lifeOf(story, { schedule: SWIM });
    expect(habit.statistics(range, range.to)).toMatchObject({
      ...{ dueDays: 4, keptDays: 4, missedDays: 2, neutralDays: 2, completionCount: 4, points: 4_000 },
      rate: 1 / 2,
    });
    expect(habit.statistics({ from: range.to, to: range.to }, range.to).rate).toBeNull();
  });

  it('count nothing as due before the task was made', () => {
    const { habit, range } = lifeOf('-x-x-', { made: MONDAY + 3 });
    expect(habit.statistics(range, range.to)).toMatchObject({
      dueDays: 1,
      keptDays: 2,
      missedDays: 0,
      rate: 1,
    });
  });

  it('count periods that end in the range, where times are due per period', () => {
    const { habit, range } = lifeOf('xx----- sssssss x------ x-', { schedule: weekly(2) });
    expect(habit.statistics(range, range.to)).toMatchObject({
      ...{ dueDays: 4, keptDays: 4, missedDays: 1, neutralDays: 7, rate: 1 / 2 },
    });
    expect(
      habit.byPeriod('WEEK', range, range.to).map(({ dueCount, keptCount }) => [dueCount, keptCount]),
    ).toEqual([
      [2, 2],
      [0, 0],
      [2, 1],
      [0, 1],
    ]);
    expect(habit.byPeriod('MONTH', range, range.to)).toMatchObject([{ dueCount: 0, keptCount: 4 }]);
  });

  it('tell of seven weekdays from the first of the week', () => {
    const { habit, range } = lifeOf('xx-s--x x-p', { schedule: SWIM, weekStartsOn: 6 });
    const weekdays = habit.byWeekday(range, range.to);
    expect(weekdays.map(({ weekday, dueCount, keptCount }) => [weekday, dueCount, keptCount])).toEqual([
      [6, 0, 1],
      [0, 2, 2],
      [1, 0, 1],
      [2, 1, 0],
      [3, 0, 0],
      [4, 1, 0],
      [5, 0, 0],
    ]);
  });
});

describe('What asks for something today', () => {
  it.each<[string, Schedule, string, boolean]>([
    ['what is due', EVERY_DAY, '-', true],
    ['what is half done', EVERY_DAY, 'h', true],
    ['not what is kept', EVERY_DAY, 'x', false],
    ['not what is skipped', EVERY_DAY, 's', false],
    ['not what is paused', EVERY_DAY, 'p', false],
    ['not what rests', SWIM, 'x-', false],
    ['not what was done often enough', weekly(1), 'x-', false],
  ])('%s', (_what, schedule, story, expected) => {
    const { habit, range } = lifeOf(story, { schedule });
    expect(habit.asksForSomething(range.to)).toBe(expected);
  });
});

describe('Every run', () => {
  const schedules = [
    EVERY_DAY,
    SWIM,
    everySecond,
    { everyDays: 5 },
    weekly(2),
    weekly(5),
    { timesPer: { count: 4, period: 'MONTH' as const } },
  ];
  const letters = fc.string({
    unit: fc.constantFrom(...'xxxx--hsp'),
    minLength: 1,
    maxLength: 70,
    size: 'max',
  });

  it('can be explained day by day', () => {
    const property = fc.property(letters, fc.constantFrom(...schedules), (story, schedule) => {
      const { habit, range, days } = lifeOf(story, { schedule });
      const runs = [0];
      for (const effect of days.map((day) => habit.effectOf(day, range.to))) {
        if (effect === 'STARTED') runs.push(1);
        if (effect === 'CONTINUED') runs.push((runs.pop() ?? 0) + 1);
        if (effect === 'BROKEN') runs.push(0);
      }
      const { count, longest } = habit.streak(range.to);
      expect([count, longest]).toEqual([runs.at(-1), Math.max(...runs)]);
    });
    fc.assert(property, { numRuns: 300 });
  });
});
