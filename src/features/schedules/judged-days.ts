import type { DayNumber } from './day.js';
import { type AmountOfDay, doneIn, type Judge, type StreakEffect } from './judge.js';
import { thousandthsOf } from './target.js';

export const DayState = {
  KEPT: 'KEPT',
  PARTIAL: 'PARTIAL',
  MISSED: 'MISSED',
  SKIPPED: 'SKIPPED',
  PAUSED: 'PAUSED',
  REST: 'REST',
  OPEN: 'OPEN',
  FUTURE: 'FUTURE',
  WITHIN: 'WITHIN',
  EXCEEDED: 'EXCEEDED',
} as const;
export type DayState = keyof typeof DayState;

/** What was done on a day. */
export interface Done {
  completionCount: number;
  isKept: boolean;
  /** As text, so that sums stay exact. */
  points: string;
  amount: string;
}

export interface History<Day extends Done> {
  /**
   * Days with completions, by number: from the last kept one before the range on, and where periods count from its
   * period. Of a limit, from the last unit before the range that counts, or all if the range begins before it does.
   */
  days: ReadonlyMap<DayNumber, Day>;
  today: DayNumber;
  /** The day on which the task was made. Before it, it is never due. */
  madeOn: DayNumber;
}

export interface JudgedDay<Day extends Done> {
  day: DayNumber;
  state: DayState;
  effect: StreakEffect;
  isKept: boolean;
  isDue: boolean;
  /** Skipped or paused, and not kept. */
  isNeutral: boolean;
  /** The last day on which the target of its week or month could be met, which it was not: nor on a day that rests. */
  isLetGo: boolean;
  done: Day | undefined;
}

/** Every day of a range, with what it was. */
export function judgedDays<Day extends Done>(
  judge: Judge,
  { days, today, madeOn }: History<Day>,
  { from, to }: { from: DayNumber; to: DayNumber },
): JudgedDay<Day>[] {
  const kept = keptDaysOf(days);
  const effects = judge.effectsOf(kept, today);
  let next = kept.findIndex(({ day }) => day >= from);
  if (next === -1) next = kept.length;
  const here = () => {
    const [before, after] = [kept[next - 1]?.day ?? null, kept[next]?.day];
    return { dueFrom: judge.dueAfter(before, after), lateFrom: judge.lateAfter(before, after) };
  };
  let { dueFrom, lateFrom } = here();
  const inPeriodOf = (day: DayNumber) => {
    if (!judge.period) return [];
    const { first } = judge.unitAround(day);
    return kept.slice(Math.max(0, next - 31), next).filter((each) => each.day >= first);
  };
  const amountAround = (day: DayNumber) => {
    if (!judge.target) return 0;
    const { first, last } = judge.unitAround(day);
    const around = kept.slice(Math.max(0, next - 31), next + 31);
    return doneIn(around.filter((each) => each.day >= first && each.day <= last)).amountInPeriod;
  };
  return Array.from({ length: to - from + 1 }, (_, index) => {
    const day = from + index;
    const done = days.get(day);
    const isOneOfKept = done?.isKept ?? false;
    const isForgiven = day < today && day < lateFrom && !isOneOfKept;
    const isDue = day >= madeOn && !isForgiven && judge.isDueOn(day, { dueFrom, ...doneIn(inPeriodOf(day)) });
    const isEnough = judge.isEnoughOn(day, amountAround(day));
    const isKept = isOneOfKept && isEnough;
    const isLetGo = isDue && !isEnough;
    if (isOneOfKept) {
      next += 1;
      ({ dueFrom, lateFrom } = here());
    }
    const rest = judge.neutral.kindOf(day);
    const judged = { day, done, isKept, isDue, isLetGo, isNeutral: !isKept && rest !== undefined };
    const state = stateOf({ ...judged, rest }, { today, madeOn, isByPeriod: judge.period !== null });
    return { ...judged, state, effect: effects.get(day) ?? 'NONE' };
  });
}

export const amountOf = ([day, { amount }]: readonly [DayNumber, Done]): AmountOfDay => ({
  day,
  amount: thousandthsOf(Number(amount)),
});

const keptDaysOf = (days: ReadonlyMap<DayNumber, Done>): AmountOfDay[] =>
  [...days]
    .filter(([, { isKept }]) => isKept)
    .map(amountOf)
    .sort((one, other) => one.day - other.day);

/** The first that fits. */
export function stateOf(
  day: Pick<JudgedDay<Done>, 'day' | 'isKept' | 'isDue'> & {
    done: Pick<Done, 'completionCount'> | undefined;
    rest: 'SKIPPED' | 'PAUSED' | undefined;
  },
  { today, madeOn, isByPeriod }: { today: DayNumber; madeOn: DayNumber; isByPeriod: boolean },
): DayState {
  if (day.isKept) return 'KEPT';
  if (day.done && day.done.completionCount > 0) return 'PARTIAL';
  if (day.rest) return day.rest;
  if (day.day < madeOn) return 'REST';
  if (day.day > today) return 'FUTURE';
  if (day.isDue && day.day === today) return 'OPEN';
  return day.isDue && !isByPeriod ? 'MISSED' : 'REST';
}
