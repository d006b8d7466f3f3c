import { Lens } from './lens.js';
import { Limit } from './limit.js';
import type { NeutralDays } from './neutral-days.js';
import { type StoredSchedule, scheduleOf, type Weekday } from './schedule.js';
import { isLimit, type JudgedTarget, periodTargetOf } from './target.js';

/** By what the days of a task are read. */
export type Reading = Lens | Limit;

export function readingOf(
  task: StoredSchedule & JudgedTarget,
  neutral: NeutralDays,
  weekStartsOn: Weekday | null,
): Reading {
  const [schedule, firstWeekday] = [scheduleOf(task), weekStartsOn ?? 'MONDAY'];
  const { targetAmount: amount, targetPeriod } = task;
  return amount !== null && isLimit(task)
    ? new Limit(schedule, neutral, firstWeekday, { amount, per: targetPeriod ?? 'DAY' })
    : new Lens(schedule, neutral, firstWeekday, periodTargetOf(task));
}
