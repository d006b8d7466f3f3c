import { type Day, type DayNumber, dayAt, numberOf } from './day.js';
import { type AmountOfDay, doneIn, type Judge } from './judge.js';
import { fromThousandths } from './target.js';

/** The last day that a date can name. */
const LATEST = numberOf('9999-12-31');

/**
 * The first day from a day on that asks for something if nothing more is done; null: never. `kept`: the last kept day
 * before it, all later ones, and where periods count those of its period, oldest first.
 */
export function nextDueDay(judge: Judge, kept: readonly AmountOfDay[], from: DayNumber): DayNumber | null {
  for (let day = from; day <= LATEST; ) {
    const neutralTo = judge.neutral.endFrom(day);
    if (neutralTo !== undefined) {
      day = neutralTo + 1;
      continue;
    }
    const next = kept.find((each) => each.day >= day)?.day;
    if ((next !== day || isUnmetOn(judge, kept, day)) && isDueOn(judge, kept, day)) return day;
    day = Math.max(day + 1, Math.min(earliestAfter(judge, kept, day), next ?? Number.POSITIVE_INFINITY));
  }
  return null;
}

function isDueOn(judge: Judge, kept: readonly AmountOfDay[], day: DayNumber): boolean {
  const { first } = judge.unitAround(day);
  const inPeriod = doneIn(kept.filter((each) => each.day >= first && each.day < day));
  return judge.isDueOn(day, { dueFrom: dueFromOn(judge, kept, day), ...inPeriod });
}

/** Something was done on the day, and the period needs more of it. */
function isUnmetOn(judge: Judge, kept: readonly AmountOfDay[], day: DayNumber): boolean {
  return !judge.isEnoughOn(day, doneIn(daysOf(judge, kept, day)).amountInPeriod);
}

/** The kept ones of the period of a day. */
function daysOf(judge: Judge, kept: readonly AmountOfDay[], day: DayNumber): readonly AmountOfDay[] {
  const { first, last } = judge.unitAround(day);
  return kept.filter((each) => each.day >= first && each.day <= last);
}

const dueFromOn = (judge: Judge, kept: readonly AmountOfDay[], day: DayNumber) =>
  judge.dueAfter(
    kept.findLast((each) => each.day < day)?.day ?? null,
    kept.find((each) => each.day >= day)?.day,
  );

/** No day between is due unless one is kept. */
function earliestAfter(judge: Judge, kept: readonly AmountOfDay[], day: DayNumber): DayNumber {
  if (judge.period) return judge.unitAround(day).last + 1;
  return judge.schedule.kind === 'every' ? dueFromOn(judge, kept, day + 1) : day + 1;
}

/** How far a week or month is. In kept days; with a target in its unit. */
export interface PeriodProgress {
  from: Day;
  to: Day;
  goal: number;
  done: number;
  remaining: number;
  isKept: boolean;
}

/** Null where days count, and not periods. `kept`: all kept days of the period. */
export function progressOn(
  judge: Judge,
  kept: readonly AmountOfDay[],
  day: DayNumber,
): PeriodProgress | null {
  if (!judge.period) return null;
  const unit = judge.unitAround(day);
  const { goal, done, isKept } = judge.goalIn(unit, daysOf(judge, kept, day));
  const shown = (count: number) => (judge.target ? fromThousandths(count) : count);
  return {
    ...{ from: dayAt(unit.first), to: dayAt(unit.last), isKept },
    ...{ goal: shown(goal), done: shown(done), remaining: shown(Math.max(0, goal - done)) },
  };
}

/** Whether a later day of the week or month will do: then the day does not ask for it yet. */
export function mayWait(judge: Judge, kept: readonly AmountOfDay[], today: DayNumber): boolean {
  if (!judge.period) return false;
  if (judge.target) return judge.isEnoughOn(today, 0);
  const unit = judge.unitAround(today);
  let left = 0;
  for (let day = today + 1; day <= unit.last; day += 1) left += Number(!judge.neutral.has(day));
  const { goal, done } = judge.goalIn(unit, daysOf(judge, kept, today));
  return goal - done <= left;
}
