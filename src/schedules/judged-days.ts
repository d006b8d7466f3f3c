import type { DayNumber } from './day.js';
import { type AmountOfDay, doneIn, type Lens, type StreakEffect } from './lens.js';
import { thousandthsOf } from './target.js';

export const DayState = {
  KEPT: 'KEPT',
  PARTIAL: 'PARTIAL',
  MISSED: 'MISSED',
  SKIPPED: 'SKIPPED',
  PAUSED: 'PAUSED',
  REST: 'REST',
  DUE: 'DUE',
  FUTURE: 'FUTURE',
  WITHIN: 'WITHIN',
  EXCEEDED: 'EXCEEDED',
} as const;
export type DayState = keyof typeof DayState;

/** What was done on a day. */
export interface Done {
  completions: number;
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
  done: Day | undefined;
}

/** Every day of a range, with what it was. */
export function judgedDays<Day extends Done>(
  lens: Lens,
  { days, today, madeOn }: History<Day>,
  { from, to }: { from: DayNumber; to: DayNumber },
): JudgedDay<Day>[] {
  const kept = keptDaysOf(days);
  const effects = lens.effectsOf(kept, today);
  let next = kept.findIndex(({ day }) => day >= from);
  if (next === -1) next = kept.length;
  const dueFromHere = () => lens.dueAfter(kept[next - 1]?.day ?? null, kept[next]?.day);
  let dueFrom = dueFromHere();
  const inPeriodOf = (day: DayNumber) => {
    if (!lens.period) return [];
    const { first } = lens.unitAround(day);
    return kept.slice(Math.max(0, next - 31), next).filter((each) => each.day >= first);
  };
  return Array.from({ length: to - from + 1 }, (_, index) => {
    const day = from + index;
    const isDue = day >= madeOn && lens.isDueOn(day, { dueFrom, ...doneIn(inPeriodOf(day)) });
    const done = days.get(day);
    const isKept = done?.isKept ?? false;
    if (isKept) {
      next += 1;
      dueFrom = dueFromHere();
    }
    const rest = lens.neutral.kindOf(day);
    const judged = { day, done, isKept, isDue, isNeutral: !isKept && rest !== undefined };
    const state = stateOf({ ...judged, rest }, { today, madeOn, isByPeriod: lens.period !== null });
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
    done: Pick<Done, 'completions'> | undefined;
    rest: 'SKIPPED' | 'PAUSED' | undefined;
  },
  { today, madeOn, isByPeriod }: { today: DayNumber; madeOn: DayNumber; isByPeriod: boolean },
): DayState {
  if (day.isKept) return 'KEPT';
  if (day.done && day.done.completions > 0) return 'PARTIAL';
  if (day.rest) return day.rest;
  if (day.day < madeOn) return 'REST';
  if (day.day > today) return 'FUTURE';
  if (day.isDue && day.day === today) return 'DUE';
  return day.isDue && !isByPeriod ? 'MISSED' : 'REST';
}
