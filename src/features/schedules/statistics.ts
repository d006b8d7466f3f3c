import { type DayNumber, weekdayOf } from './day.js';
import type { AmountOfDay, Judge } from './judge.js';
import { amountOf, type Done, type History, type JudgedDay, judgedDays } from './judged-days.js';
import { type Period, periodAround, WEEKDAYS, type Weekday } from './schedule.js';

interface Sums {
  dueCount: number;
  keptCount: number;
  completionCount: number;
  amount: number;
}

export interface WeekdaySums extends Sums {
  weekday: Weekday;
}

export interface PeriodSums extends Sums {
  from: DayNumber;
  to: DayNumber;
}

export interface Statistics {
  dueDays: number;
  keptDays: number;
  missedDays: number;
  neutralDays: number;
  completionCount: number;
  points: number;
  amount: number;
  rate: number | null;
  byWeekday: WeekdaySums[];
  by: (per: Period) => PeriodSums[];
}

export interface Range {
  from: DayNumber;
  to: DayNumber;
}

/** What is asked for in a period, and what of it was kept. */
interface Goal {
  dueCount: number;
  keptCount: number;
  isKept: boolean;
}

/** How the days of a range are counted. */
export interface Counting {
  days: readonly JudgedDay<Done>[];
  today: DayNumber;
  weekStartsOn: Weekday;
  isAskedFor: (day: JudgedDay<Done>) => boolean;
  isKept: (day: JudgedDay<Done>) => boolean;
  /** Where periods are asked for, and not days. */
  periods: {
    per: Period;
    goalOf: (period: Range) => Goal;
    /** Whether a period is kept as one, and not by a number of days. */
    areWhole: boolean;
  } | null;
}

/** `history` reaches from the first day of the range's first period to the last day of its last. */
export function statisticsOf(judge: Judge, history: History<Done>, range: Range): Statistics {
  return counted(range, {
    days: judgedDays(judge, history, range),
    today: history.today,
    weekStartsOn: judge.weekStartsOn,
    isAskedFor: ({ isDue, isKept, isNeutral, day }) =>
      !judge.period && isDue && !isNeutral && (day < history.today || isKept),
    isKept: ({ isKept }) => isKept,
    periods: judge.period && {
      per: judge.period,
      goalOf: (period) => goalOf(judge, history, period),
      areWhole: judge.target !== null,
    },
  });
}

export function counted(range: Range, counting: Counting): Statistics {
  const { days, weekStartsOn, isAskedFor, isKept, periods } = counting;
  const sumsOf = (some: readonly JudgedDay<Done>[]): Sums => ({
    dueCount: some.filter(isAskedFor).length,
    keptCount: some.filter(isKept).length,
    completionCount: sum(some, ({ done }) => done?.completionCount ?? 0),
    amount: exactSum(some, ({ done }) => done?.amount ?? '0'),
  });
  const by = (per: Period): PeriodSums[] =>
    periodsOf(range, per, weekStartsOn).map((period) => {
      const sums = sumsOf(days.slice(Math.max(period.from - range.from, 0), period.to - range.from + 1));
      if (periods?.per !== per) return { ...period, ...sums };
      const goal = countedGoal(period, range, counting, periods);
      return {
        ...{ ...period, ...sums, dueCount: goal?.dueCount ?? 0 },
        ...(periods.areWhole && { keptCount: goal?.keptCount ?? 0 }),
      };
    });
  const { keptCount, completionCount, amount } = sumsOf(days);
  return {
    keptDays: keptCount,
    ...(periods ? keptPeriods(range, counting, periods) : keptOf(days.filter(isAskedFor), isKept)),
    neutralDays: days.filter(({ isNeutral }) => isNeutral).length,
    completionCount,
    points: exactSum(days, ({ done }) => done?.points ?? '0'),
    amount,
    byWeekday: weekdaysFrom(weekStartsOn).map((weekday) => ({
      weekday,
      ...sumsOf(days.filter(({ day }) => WEEKDAYS[weekdayOf(day)] === weekday)),
    })),
    by,
  };
}

/** Of days that were asked for. */
function keptOf(days: readonly JudgedDay<Done>[], isKept: Counting['isKept']) {
  const kept = days.filter(isKept).length;
  return { dueDays: days.length, missedDays: days.length - kept, rate: rateOf(kept, days.length) };
}

type Periods = NonNullable<Counting['periods']>;

/** Only periods that end in the range count: those that are over, and the current one once it is kept. */
function countedGoal(period: Range, range: Range, { today }: Counting, { goalOf }: Periods): Goal | null {
  if (period.to > range.to) return null;
  const goal = goalOf(period);
  return goal.dueCount > 0 && (period.to < today || goal.isKept) ? goal : null;
}

function keptPeriods(range: Range, counting: Counting, periods: Periods) {
  const goals = periodsOf(range, periods.per, counting.weekStartsOn).flatMap(
    (period) => countedGoal(period, range, counting, periods) ?? [],
  );
  return {
    dueDays: sum(goals, ({ dueCount }) => dueCount),
    missedDays: sum(goals, ({ dueCount, keptCount }) => Math.max(dueCount - keptCount, 0)),
    rate: rateOf(goals.filter(({ isKept }) => isKept).length, goals.length),
  };
}

/** None is due in a period before the task was made. */
function goalOf(judge: Judge, { days, madeOn }: History<Done>, { from, to }: Range): Goal {
  const kept: AmountOfDay[] = [];
  for (let day = from; day <= to; day += 1) {
    const done = days.get(day);
    if (done?.isKept) kept.push(amountOf([day, done]));
  }
  const { goal, done, isKept } = judge.goalIn({ first: from, last: to }, kept);
  const counts = judge.target
    ? { dueCount: goal > 0 ? 1 : 0, keptCount: isKept ? 1 : 0, isKept }
    : { dueCount: goal, keptCount: done, isKept };
  return to < madeOn ? { ...counts, dueCount: 0, isKept: false } : counts;
}

/** Every one that the range touches, whole. */
function periodsOf({ from, to }: Range, per: Period, weekStartsOn: Weekday): Range[] {
  const periods: Range[] = [];
  for (let next = from; next <= to; ) {
    const { first, last } = periodAround(next, per, weekStartsOn);
    periods.push({ from: first, to: last });
    next = last + 1;
  }
  return periods;
}

const weekdaysFrom = (first: Weekday): Weekday[] => {
  const index = WEEKDAYS.indexOf(first);
  return [...WEEKDAYS.slice(index), ...WEEKDAYS.slice(0, index)];
};

const rateOf = (kept: number, due: number): number | null => (due === 0 ? null : kept / due);

const sum = <Row>(rows: readonly Row[], value: (row: Row) => number): number =>
  rows.reduce((total, row) => total + value(row), 0);

const exactSum = <Row>(rows: readonly Row[], value: (row: Row) => string): number =>
  Number(rows.reduce((total, row) => sumOf(total, value(row)), '0'));

/** Exact, as in the database: JavaScript numbers would round. */
export function sumOf(a: string, b: string): string {
  const decimals = Math.max(...[a, b].map((text) => text.split('.')[1]?.length ?? 0));
  const wholeOf = (text: string) => {
    const [integer = '', fraction = ''] = text.split('.');
    return BigInt(integer + fraction.padEnd(decimals, '0'));
  };
  const digits = `${wholeOf(a) + wholeOf(b)}`.padStart(decimals + 1, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
