import fc from 'fast-check';
import { expect, it } from 'vitest';
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
import { EVERY_DAY, type Facts, Habit, type Period } from './model.js';
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

it('The months of any year are known', () => {
  const { first, last } = periodAround(numberOf('0099-12-31'), 'MONTH', 'MONDAY');
  expect([dayAt(first), dayAt(last)]).toEqual(['0099-12-01', '0099-12-31']);
});

it('The score looks back ten half-lives of 13 days, and no farther', () => {
  const facts = { schedule: EVERY_DAY, target: null, made: MONDAY, weekStartsOn: 0, skips: [], pauses: [] };
  const score = (length: number) => {
    const done = Array.from({ length }, (_, day) => ({ day: MONDAY + day, amount: null, points: 1_000 }));
    return judged({ ...facts, done }, MONDAY + length).score();
  };
  expect([score(13), score(500)]).toEqual([0.5, 0.999]);
});
