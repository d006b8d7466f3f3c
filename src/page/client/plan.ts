import { firstOfWeek, isPaused, later, shortName, WEEKDAYS } from './days.js';
import { t } from './language.js';
import { dayOf, type Known, standingOf } from './standing.js';
import { isOfPeriod } from './target.js';
import type { Task, User } from './types.js';

/** Why a habit rests on a day, or how it is planned if not for every day: `Mon, Wed, Fri`, `1 of 3 this week`. */
export function planOf(task: Task, day: string, user: User, known: Known): string {
  const { weekdays, every, times, per } = task.schedule;
  const { state, isNeutral } = standingOf(task, day, known);
  if (isNeutral && dayOf(task, day).isSkipped) return t.states.SKIPPED;
  if (state === 'PAUSED') return t.states.PAUSED;
  if (isOfPeriod(task)) return '';
  if (every) return t.plan.every(every);
  if (times) return per === 'MONTH' ? t.plan.often(times, 'MONTH') : ofWeek(task, times, day, user, known);
  if (!weekdays || weekdays.length === WEEKDAYS.length) return '';
  return t.listed(weekdays.map(shortName));
}

function ofWeek(task: Task, times: number, day: string, user: User, known: Known): string {
  const week = weekOf(task, day, user, known);
  if (!week) return t.plan.often(times, 'WEEK');
  const { kept, goal } = week;
  return kept > goal ? t.plan.thisWeek(kept) : t.plan.ofWeek(kept, goal);
}

/** `●●○` */
export function dotsOf(task: Task, day: string, user: User, known: Known): string {
  const week = standingOf(task, day, known).isNeutral ? null : weekOf(task, day, user, known);
  return week ? '●'.repeat(week.kept) + '○'.repeat(Math.max(0, week.goal - week.kept)) : '';
}

/** Not all days of an earlier week are known here. A week of fewer days than it asks for asks for those. */
function weekOf(task: Task, day: string, user: User, known: Known): { kept: number; goal: number } | null {
  const { times, per } = task.schedule;
  const first = firstOfWeek(user.today, user);
  if (!times || per !== 'WEEK' || day < first) return null;
  const days = WEEKDAYS.map((_name, index) => later(first, index));
  const isKept = (date: string) => date <= user.today && standingOf(task, date, known).isKept;
  const isNeutral = (date: string) => dayOf(task, date).state === 'SKIPPED' || isPaused(date, task, user);
  const kept = days.filter(isKept).length;
  return { kept, goal: Math.min(times, days.filter((date) => isKept(date) || !isNeutral(date)).length) };
}
