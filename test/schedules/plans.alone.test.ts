import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { streakOn } from '../../src/features/history/streaks/streak.js';
import { dayAt, numberOf } from '../../src/features/schedules/day.js';
import { NeutralDays, type Rest } from '../../src/features/schedules/judge.js';
import { amountOf, type Done, judgedDays } from '../../src/features/schedules/judged-days.js';
import { Limit, readingOf } from '../../src/features/schedules/limit.js';
import { limitDays, limitStatisticsOf } from '../../src/features/schedules/limit-days.js';
import { nextDueDay, progressOn } from '../../src/features/schedules/next-due.js';
import { NO_SCHEDULE, periodAround, WEEKDAYS } from '../../src/features/schedules/schedule.js';
import { rangeOfScore, scoreOf } from '../../src/features/schedules/score.js';
import { type Statistics, statisticsOf } from '../../src/features/schedules/statistics.js';
import { amountOfOne, NO_TARGET, targetOfDay, thousandthsOf } from '../../src/features/schedules/target.js';
import { goTogether, hasGraceDay, type Target } from './life.js';
import { Limit as LimitOnPaper } from './limit-model.js';
import { EVERY_DAY, type Facts, Habit, type Period, type Schedule } from './model.js';
import { plan } from './stories.js';

const MONDAY = numberOf('2026-11-02');

interface Told extends Omit<Facts, 'target' | 'per'> {
  target: Target | null;
}

/** As the table of tasks has a plan. */
const stored = ({ schedule, target }: Pick<Told, 'schedule' | 'target'>) => ({
  ...{ ...NO_SCHEDULE, ...NO_TARGET, hasGraceDay: hasGraceDay(schedule) },
  ...('weekdays' in schedule && { weekdays: schedule.weekdays.reduce((bits, day) => bits | (1 << day), 0) }),
  ...('everyDays' in schedule && { everyDays: schedule.everyDays }),
  ...('timesPer' in schedule && { times: schedule.timesPer.count, period: schedule.timesPer.period }),
  ...(target && {
    ...{ targetAmount: target.amount / 1_000, targetUnit: 'km' },
    targetKind: target.kind === 'AT_MOST' ? target.kind : null,
    targetPeriod: target.per === 'DAY' ? null : target.per,
  }),
});

/** What the service says of a habit, in the words of the model. */
function judged(told: Told, today: number) {
  const task = stored(told);
  const pauses = told.pauses.map(
    ({ from, until }): Rest => ({ kind: 'PAUSED', first: from, last: until ?? Number.POSITIVE_INFINITY }),
  );
  const skips = told.skips.map((day): Rest => ({ kind: 'SKIPPED', first: day, last: day }));
  const own = pauses.filter((_, index) => index % 2 === 0);
  const ofAll = pauses.filter((_, index) => index % 2 === 1);
  const neutral = new NeutralDays([...skips, ...own], new NeutralDays(ofAll));
  const reading = readingOf(task, neutral, WEEKDAYS[told.weekStartsOn] ?? null);
  const target = targetOfDay(task);
  const days = new Map<number, Done>();
  for (const { day, amount, points } of told.done) {
    const before = days.get(day);
    const sum = Number(before?.amount ?? 0) + (amount === null ? (amountOfOne(task) ?? 0) : amount / 1_000);
    days.set(day, {
      completionCount: (before?.completionCount ?? 0) + 1,
      points: `${Number(before?.points ?? 0) + points / 1_000}`,
      amount: `${sum}`,
      isKept: target === null || sum >= target,
    });
  }
  const history = { days, today, madeOn: told.made };
  const records = [...days].sort(([one], [other]) => one - other);
  const kept = records.filter(([, { isKept }]) => isKept).map(amountOf);
  const daysIn = (range: Period) =>
    (reading instanceof Limit ? limitDays(reading, history, range) : judgedDays(reading, history, range)).map(
      ({ state, effect, isDue }) => ({ state, effect, isDue }),
    );
  const streak = () => {
    if (reading instanceof Limit) {
      const began = Math.min(told.made, records[0]?.[0] ?? told.made);
      const { startedOn, longest } = reading.runOf(reading.exceededUnits(records.map(amountOf)), began);
      const count = reading.unitsIn(startedOn ?? today, today - 1);
      return { count, longest: Math.max(longest, count) };
    }
    const [day] = judgedDays(reading, history, { from: today, to: today });
    const now = { today, isKept: day?.isKept ?? false, isDue: day?.isDue ?? false };
    const { end, ...shown } = streakOn(now, reading, reading.runOf(kept));
    return { ...shown, aliveUntil: end };
  };
  const amounts = <Each extends { amount: number }>(each: Each) => ({
    ...each,
    amount: thousandthsOf(each.amount),
  });
  const sums = (range: Period) => {
    const { by, byWeekday, ...all }: Statistics =
      reading instanceof Limit
        ? limitStatisticsOf(reading, history, range)
        : statisticsOf(reading, history, range);
    return {
      statistics: { ...amounts(all), points: all.points * 1_000 },
      byWeekday: byWeekday.map((each) => ({ ...amounts(each), weekday: WEEKDAYS.indexOf(each.weekday) })),
      ...{ byWeek: by('WEEK').map(amounts), byMonth: by('MONTH').map(amounts) },
    };
  };
  const ahead = () => {
    if (reading instanceof Limit) return { nextDueOn: null, thisPeriod: null };
    const period = progressOn(reading, kept, today);
    const [goal, done, remaining] = [period?.goal, period?.done, period?.remaining].map((each = 0) =>
      thousandthsOf(each),
    );
    return {
      nextDueOn: nextDueDay(reading, kept, today),
      thisPeriod: period && {
        ...{ from: numberOf(period.from), to: numberOf(period.to), isKept: period.isKept },
        ...{ goal, done, remaining },
      },
    };
  };
  const score = () => scoreOf(reading, history, { range: rangeOfScore(reading, today), target });
  return { days: daysIn, streak, sums, ahead, score };
}

/** The same by the model. */
function onPaper({ target, ...told }: Told, today: number) {
  const per = target && target.per !== 'DAY' ? target.per : null;
  const facts = { ...told, target: target?.amount ?? null, per };
  const isLimit = target?.kind === 'AT_MOST';
  const habit = isLimit ? new LimitOnPaper(facts) : new Habit(facts);
  return {
    days: ({ from, to }: Period) =>
      Array.from({ length: to - from + 1 }, (_, index) => ({
        state: habit.stateOf(from + index, today),
        effect: habit.effectOf(from + index, today),
        isDue: habit.isDue(from + index, today),
      })),
    streak: () => {
      const { count, longest, ...more } = habit.streak(today);
      return isLimit ? { count, longest } : { count, longest, ...more };
    },
    sums: (range: Period) => ({
      statistics: habit.statistics(range, today),
      byWeekday: habit.byWeekday(range, today),
      ...{ byWeek: habit.byPeriod('WEEK', range, today), byMonth: habit.byPeriod('MONTH', range, today) },
    }),
    ahead: () => ({ nextDueOn: habit.nextDueOn(today), thisPeriod: habit.thisPeriod(today) }),
    score: () => habit.score(today),
  };
}

/** Days are counted from that Monday on. */
const someone = fc
  .record({
    plan: plan.filter(({ schedule, target }) => goTogether(schedule ?? EVERY_DAY, target)),
    weekStartsOn: fc.constantFrom(0, 5, 6),
    made: fc.nat(12),
    done: fc.array(fc.tuple(fc.nat(50), fc.constantFrom(null, null, 1, 125, 1_000, 2_500, 8_000)), {
      ...{ size: 'max', maxLength: 60 },
    }),
    skips: fc.uniqueArray(fc.nat(60), { maxLength: 6 }),
    pauses: fc.array(fc.tuple(fc.nat(60), fc.option(fc.nat(40), { freq: 3 })), { maxLength: 3 }),
    today: fc.integer({ min: 50, max: 60 }),
    range: fc.tuple(fc.nat(30), fc.nat(40)),
  })
  .map(({ plan: { schedule, target }, today, range: [from, length], ...facts }) => ({
    told: {
      ...{ schedule: schedule ?? EVERY_DAY, target, weekStartsOn: facts.weekStartsOn },
      made: MONDAY + facts.made,
      done: facts.done.map(([day, amount]) => ({
        ...{ day: MONDAY + day, amount, points: target?.kind === 'AT_MOST' ? 0 : 1_000 },
      })),
      skips: facts.skips.map((day) => MONDAY + day),
      pauses: facts.pauses.map(([first, days]) => ({
        ...{ from: MONDAY + first, until: days === null ? null : MONDAY + first + days },
      })),
    },
    today: MONDAY + today,
    range: { from: MONDAY - 5 + from, to: MONDAY - 5 + from + length },
  }));

it('Days, runs, statistics, scores and what comes are as the model says, of any habit', () => {
  const property = fc.property(someone, ({ told, today, range }) => {
    const [service, model] = [judged(told, today), onPaper(told, today)];
    expect(service.days(range)).toEqual(model.days(range));
    expect(service.streak()).toEqual(model.streak());
    expect(service.sums(range)).toEqual(model.sums(range));
    expect(service.ahead()).toEqual(model.ahead());
    expect(service.score()).toBe(model.score());
  });
  fc.assert(property, { numRuns: 200 });
});

const LETTERS: Record<string, string> = {
  ...{ KEPT: 'K', PARTIAL: 'h', MISSED: 'M', SKIPPED: 's', PAUSED: 'p', REST: '.', OPEN: 'O', FUTURE: 'F' },
  ...{ WITHIN: 'w', EXCEEDED: 'X' },
};

/** A day a letter, from that Monday on: x done, h half done, s skipped, p paused. Blanks are for the eye. */
function read(story: string, { schedule = EVERY_DAY, target = null, ...more }: Partial<Told> = {}): Told {
  const letters = [...story.replaceAll(' ', '')].map((letter, index) => ({ letter, day: MONDAY + index }));
  const daysOf = (wanted: string) => letters.flatMap(({ letter, day }) => (wanted === letter ? day : []));
  const amounts: Record<string, number | null> = { x: null, h: (target?.amount ?? 2_000) / 2 };
  return {
    ...{ schedule, target, made: MONDAY, weekStartsOn: 0 },
    done: letters
      .filter(({ letter }) => letter in amounts)
      .map(({ letter, day }) => ({ day, amount: amounts[letter] ?? null, points: 1_000 })),
    skips: daysOf('s'),
    pauses: daysOf('p').map((day) => ({ from: day, until: day })),
    ...more,
  };
}

const times = (count: number, period: 'WEEK' | 'MONTH'): Partial<Told> => ({
  schedule: { timesPer: { count, period } },
});
const atLeast = (amount: number, per: Target['per']): Partial<Told> => ({
  target: { amount, kind: 'AT_LEAST', per },
});
const atMost = (amount: number, per: Target['per']): Partial<Told> => ({
  target: { amount, kind: 'AT_MOST', per },
});
const every = (everyDays: number, hasGraceDay = false): { schedule: Schedule } => ({
  schedule: { everyDays, hasGraceDay },
});
const SWIMS = { schedule: { weekdays: [0, 2, 4] } };

/** What the contract says, for people; the model has all of it. */
it.each<[string, Partial<Told>, string, string, number]>([
  ['every day: neutral days join a run, and do not count', {}, 'xxx-xspx', 'KKKMKspK', 2],
  ['every day: today is still open', {}, 'xxx-', 'KKKO', 3],
  ['every day: before it was made nothing was missed', { made: MONDAY + 2 }, '-x--', '.KMO', 0],
  ['weekdays: rest days break nothing, and what was done on them counts', SWIMS, 'xxx-x-- -', 'KKK.K..O', 4],
  ['every second day: due from then on, in time on the day in between', every(2), 'xx-x--', 'KK.K.O', 3],
  ['every second day: neutral days are not counted', every(2), 'xss-x', 'Kss.K', 2],
  ['every second day: too late', every(2), 'xs--x', 'Ks.MK', 1],
  ['a day of grace: late is in time', every(2, true), 'x--x--x', 'K..K..K', 3],
  ['a day of grace: too late', every(2, true), 'x---x', 'K..MK', 1],
  ['twice a week: no single day is missed', times(2, 'WEEK'), 'xx----- x--x---', 'KK..... K..K...', 2],
  [
    'twice a week: a neutral week is passed over',
    times(2, 'WEEK'),
    'xx----- sssspps xx',
    'KK..... sssspps KK',
    2,
  ],
  ['thrice a week: fewer days are left', times(3, 'WEEK'), 'sssspxp', 'sssspKp', 1],
  ['an amount a day: half is not kept', atLeast(8_000, 'DAY'), 'xh-x', 'KhMK', 1],
  ['an amount a week: each that adds to it is kept', atLeast(2_000, 'WEEK'), 'x---x-- x', 'K...K.. K', 1],
  ['an amount a week: its last day asks for the rest', atLeast(3_000, 'WEEK'), 'x-----x', 'K.....h', 0],
  ['a limit: forgiven where it rests, judged when the day is over', atMost(0, 'DAY'), '-xsp-', 'KXspw', 0],
])('%s', (_what, plan, story, states, count) => {
  const today = MONDAY + story.replaceAll(' ', '').length - 1;
  const { days, streak } = judged(read(story, plan), today);
  const shown = days({ from: MONDAY, to: today }).map(({ state }) => LETTERS[state]);
  expect(shown.join('')).toBe(states.replaceAll(' ', ''));
  expect(streak()).toMatchObject({ count });
});

it('The months of any year are known', () => {
  const { first, last } = periodAround(numberOf('0099-12-31'), 'MONTH', 'MONDAY');
  expect([dayAt(first), dayAt(last)]).toEqual(['0099-12-01', '0099-12-31']);
});

describe('The score of a habit', () => {
  const scoreAfter = (story: string, plan?: Partial<Told>) =>
    judged(read(story, plan), MONDAY + story.length).score();
  const half = 'x'.repeat(13);
  const moved = (days: number, apart: number) =>
    Number((1 - 0.5 ** (days / 13 / Math.sqrt(apart))).toFixed(3));

  it.each<[string, string, Partial<Told>, number]>([
    ['is nothing at first', '-', {}, 0],
    ['is half of the way up after 13 days', half, {}, 0.5],
    ['looks back ten half-lives, and no farther', 'x'.repeat(500), {}, 0.999],
    ['is not ended by one bad day', `${half}${half}-`, {}, 0.711],
    ['is half gone after 13 of them', `${half}${half}${'-'.repeat(13)}`, {}, 0.375],
    ['rests while the habit does', `${half}${'p'.repeat(18)}`, {}, 0.5],
    ['goes by the share of a target', 'h'.repeat(13), atLeast(8_000, 'DAY'), 0.25],
    ['has a Monday stand for a week', 'x------'.repeat(6), { schedule: { weekdays: [0] } }, moved(42, 7)],
    ['has a day of each fourth stand for four', 'x---'.repeat(6), every(4), moved(24, 4)],
    ['has three times a week stand for it', 'x-x-x--'.repeat(6), times(3, 'WEEK'), moved(42, 7 / 3)],
    ['goes by what was done of a week', 'h------'.repeat(6), atLeast(3_000, 'WEEK'), moved(42, 7) / 2],
    ['of a limit goes by what stayed below', half, atMost(1_000, 'DAY'), 0.5],
  ])('%s', (_what, story, plan, expected) => {
    expect(scoreAfter(story, plan)).toBeCloseTo(expected, 2);
  });
});
