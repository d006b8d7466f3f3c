import type { DayState, Task, User } from '../sync/types.js';
import { later } from './days.js';
import { dayOf } from './standing.js';

/** The run as it was on a day; null where the last days do not tell. */
export function runOn(task: Task, day: string, { today }: User): number | null {
  const { count, unit } = task.streak;
  if (day === today) return isOld(task, today) ? null : count;
  if (unit !== 'DAYS' && unit !== 'TIMES') return null;
  const after = task.days.filter(({ date }) => date > day && date <= today);
  const broke = after.some(({ state }) => isBreak(state) || (state === 'PARTIAL' && unit === 'DAYS'));
  if (!broke && count > 0) {
    const left = count - after.filter(({ state }) => state === 'KEPT').length;
    return left >= 0 ? left : null;
  }
  return countedBack(task, day);
}

/** It was told on an earlier day, and one that is over since was not kept, as far as this device knows. */
function isOld({ days, streak: { count, unit } }: Task, today: string): boolean {
  if (unit !== 'DAYS' || count === 0) return false;
  const latest = days.findLast(({ date, state }) => date <= today && (state === 'KEPT' || isBreak(state)));
  return latest !== undefined && isBreak(latest.state);
}

const isBreak = (state: DayState) => state === 'MISSED' || state === 'EXCEEDED';

/** As long as a day that ended the run before is known. */
function countedBack(task: Task, day: string): number | null {
  let count = 0;
  for (let date = day; task.days.some((each) => each.date === date); date = later(date, -1)) {
    const { state } = dayOf(task, date);
    if (isBreak(state) || (state === 'PARTIAL' && date < day)) return count;
    if (state === 'KEPT') count += 1;
  }
  return null;
}
