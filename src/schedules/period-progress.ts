import { doneIn } from './judged-days.js';
import type { KeptDay, Lens } from './lens.js';
import type { DayNumber } from './schedule.js';

/** How far a week or month is. In kept days; with a target in its unit. */
export interface PeriodProgress {
  from: DayNumber;
  to: DayNumber;
  goal: number;
  done: number;
  left: number;
  isKept: boolean;
}

/** Null where days count, and not periods. `kept`: all kept days of the period. */
export function progressOn(lens: Lens, kept: readonly KeptDay[], day: DayNumber): PeriodProgress | null {
  if (!lens.period) return null;
  const unit = lens.unitAround(day);
  const inPeriod = kept.filter((each) => each.day >= unit.first && each.day <= unit.last);
  const { keptInPeriod, amountInPeriod } = doneIn(inPeriod);
  const { target } = lens;
  const [goal, done, unitOf] = target
    ? [target.amount, amountInPeriod, 1_000]
    : [lens.neededIn(unit, inPeriod), keptInPeriod, 1];
  return {
    from: unit.first,
    to: unit.last,
    goal: goal / unitOf,
    done: done / unitOf,
    left: Math.max(0, goal - done) / unitOf,
    isKept: goal > 0 && done >= goal,
  };
}
