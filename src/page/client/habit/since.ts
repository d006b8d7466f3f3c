import type { Task, TaskDay } from '../sync/types.js';
import { shortDate } from '../today/days.js';
import { isOfPeriod } from '../today/target.js';
import { t } from '../ui/language.js';

/** A pause may have begun before the habit did. */
const UNASKED: readonly TaskDay['state'][] = ['REST', 'PAUSED', 'SKIPPED'];

/** Since when the share of its days counts: a habit may be younger. Where weeks or months count, no day tells that. */
export function keptSince(task: Task, days: readonly TaskDay[], from: string): string {
  const first = days.find(({ state }) => !UNASKED.includes(state))?.date ?? from;
  const isByDay = !task.schedule.timesPer && !isOfPeriod(task);
  return isByDay && first > from ? t.habit.keptSince(shortDate(first)) : t.habit.keptHalfYear;
}
