import { sumOf } from './decimal.js';
import { type Done, type History, type JudgedDay, judgedDays } from './judged-days.js';
import type { Lens } from './lens.js';
import { type DayNumber, type Period, periodAround, WEEKDAYS, type Weekday, weekdayOf } from './schedule.js';

/** A day with completions, and what they add up to. */
export interface DoneDay extends Done {
  /** As text, so that sums stay exact. */
  points: string;
  amount: string;
}

interface Sums {
  due: number;
  kept: number;
  completions: number;
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
  completions: number;
  points: number;
  amount: number;
  rate: number | null;
  byWeekday: WeekdaySums[];
  by: (per: Period) => PeriodSums[];
}

interface Range {
  from: DayNumber;
  to: DayNumber;
}

/** `history` reaches from the first day of the range's first period to the last day of its last. */
export function statisticsOf(lens: Lens, history: History<DoneDay>, range: Range): Statistics {
  const days = judgedDays(lens, history, range);
  const isByPeriod = lens.schedule.kind === 'times';
  const isAskedFor = ({ isDue, isKept, isNeutral, day }: JudgedDay<DoneDay>) =>
    !isByPeriod && isDue && !isNeutral && (day < history.today || isKept);
  const sumsOf = (some: readonly JudgedDay<DoneDay>[]): Sums => ({
    due: some.filter(isAskedFor).length,
    kept: some.filter(({ isKept }) => isKept).length,
    completions: sum(some, ({ done }) => done?.completions ?? 0),
    amount: exactSum(some, ({ done }) => done?.amount ?? '0'),
  });
  const by = (per: Period): PeriodSums[] =>
    periodsOf(range, per, lens.weekStartsOn).map((period) => {
      const sums = sumsOf(days.slice(Math.max(period.from - range.from, 0), period.to - range.from + 1));
      const isOwn = lens.schedule.kind === 'times' && lens.schedule.per === per;
      return { ...period, ...sums, ...(isOwn && { due: goalOf(lens, history, period).due }) };
    });
  const { kept, completions, amount } = sumsOf(days);
  return {
    ...(lens.schedule.kind === 'times'
      ? keptPeriods(lens, history, range, lens.schedule.per)
      : keptOf(days.filter(isAskedFor))),
    keptDays: kept,
    neutralDays: days.filter(({ isNeutral }) => isNeutral).length,
    completions,
    points: exactSum(days, ({ done }) => done?.points ?? '0'),
    amount,
    byWeekday: weekdaysFrom(lens.weekStartsOn).map((weekday) => ({
      weekday,
      ...sumsOf(days.filter(({ day }) => WEEKDAYS[weekdayOf(day)] === weekday)),
    })),
    by,
  };
}

/** Of days that were asked for. */
function keptOf(days: readonly JudgedDay<DoneDay>[]) {
  const kept = days.filter(({ isKept }) => isKept).length;
  return { dueDays: days.length, missedDays: days.length - kept, rate: rateOf(kept, days.length) };
}

/** Of the periods that end in the range: those that are over, and the current one once it is kept. */
function keptPeriods(lens: Lens, history: History<DoneDay>, range: Range, per: Period) {
  const goals = periodsOf(range, per, lens.weekStartsOn)
    .filter(({ to }) => to <= range.to)
    .map((period) => ({ ...goalOf(lens, history, period), isOver: period.to < history.today }))
    .filter(({ due, isOver, isKept }) => due > 0 && (isOver || isKept));
  return {
    dueDays: sum(goals, ({ due }) => due),
    missedDays: sum(goals, ({ due, kept }) => Math.max(due - kept, 0)),
    rate: rateOf(goals.filter(({ isKept }) => isKept).length, goals.length),
  };
}

/** None is due in a period before the task was made. */
function goalOf(lens: Lens, { days, madeOn }: History<DoneDay>, { from, to }: Range) {
  const kept: DayNumber[] = [];
  for (let day = from; day <= to; day += 1) if (days.get(day)?.isKept) kept.push(day);
  const due = to < madeOn ? 0 : lens.neededIn({ first: from, last: to }, kept);
  return { due, kept: kept.length, isKept: due > 0 && kept.length >= due };
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
