import type { Day } from './day.js';
import type { Lens } from './lens.js';
import { type DayNumber, dayAt } from './schedule.js';
import { fromThousandths } from './target.js';
import type { AmountOfDay } from './units.js';

/** How far a week or month is. In kept days; with a target in its unit. */
export interface PeriodProgress {
  from: Day;
  to: Day;
  goal: number;
  done: number;
  left: number;
  kept: boolean;
}

/** Null where days count, and not periods. `kept`: all kept days of the period. */
export function progressOn(lens: Lens, kept: readonly AmountOfDay[], day: DayNumber): PeriodProgress | null {
  if (!lens.period) return null;
  const unit = lens.unitAround(day);
  const inPeriod = kept.filter((each) => each.day >= unit.first && each.day <= unit.last);
  const { goal, done, isKept } = lens.goalIn(unit, inPeriod);
  const shown = (count: number) => (lens.target ? fromThousandths(count) : count);
  return {
    ...{ from: dayAt(unit.first), to: dayAt(unit.last), kept: isKept },
    ...{ goal: shown(goal), done: shown(done), left: shown(Math.max(0, goal - done)) },
  };
}
