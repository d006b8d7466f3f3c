import { counted, firstOfWeek, nameOf, WEEKDAYS } from './days.js';
import type { Standing } from './standing.js';
import type { Task, User } from './types.js';

/** What is said of a habit that rests, or is not asked for every day: `Mon, Wed, Fri`, `1 of 3 this week`. */
export function planOf(task: Task, day: string, standing: Standing, user: User): string {
  const { weekdays, every, times, per } = task.schedule;
  if (standing.state === 'SKIPPED') return 'skipped';
  if (standing.state === 'PAUSED') return 'paused';
  if (every) return `every ${counted(every, 'day')}`;
  if (times) return per === 'MONTH' ? often(times, 'month') : ofWeek(task, times, day, standing, user);
  if (!weekdays || weekdays.length === WEEKDAYS.length) return '';
  return weekdays.map((weekday) => nameOf(weekday).slice(0, 3)).join(', ');
}

const often = (times: number, period: string) => `${times === 1 ? 'once' : `${times} times`} a ${period}`;

/** Of an earlier week not all days are known here. */
function ofWeek(task: Task, times: number, day: string, { isKept }: Standing, user: User): string {
  const first = firstOfWeek(user.today, user);
  if (day < first) return often(times, 'week');
  const others = task.days.filter(({ date, state }) => date >= first && date !== day && state === 'KEPT');
  return `${others.length + Number(isKept)} of ${times} this week`;
}
