import type { Task, User } from '../sync/types.js';
import { t } from '../ui/language.js';
import { firstOfWeek, isPaused, isSamePeriod, later, shortName, WEEKDAYS, weekUpTo } from './days.js';
import { dayOf, exact, type Known, standingOf } from './standing.js';
import { isLimit, isOfPeriod } from './target.js';

/** Why a habit rests on a day, or how it is planned if not for every day: `Mon, Wed, Fri`, `1 of 3 this week`. */
export function planOf(task: Task, day: string, user: User, known: Known): string {
  const { weekdays, everyDays, timesPer } = task.schedule;
  const { state, isNeutral, isKept } = standingOf(task, day, known);
  if (isNeutral && dayOf(task, day).isSkipped) return t.states.SKIPPED;
  if (state === 'PAUSED') return t.states.PAUSED;
  if (isOfPeriod(task)) return lastDayOf(task, day, user, known);
  if (everyDays && everyDays > 1) {
    const isGraceDay = task.hasGraceDay && task.streak.atRisk && day === user.today;
    return isGraceDay && !isKept ? t.plan.lastOf(everyDays) : t.plan.every(everyDays);
  }
  if (timesPer?.period === 'MONTH') return ofMonth(task, timesPer.count, day, user, known);
  if (timesPer) return ofWeek(task, timesPer.count, day, user, known);
  if (!weekdays || weekdays.length === WEEKDAYS.length) return '';
  return t.listed(weekdays.map(shortName));
}

/** `15 minutes left, last day` */
function lastDayOf(task: Task, day: string, user: User, known: Known): string {
  const { target } = task;
  const { isKept, amount } = standingOf(task, day, known);
  if (!target || isLimit(task) || isKept || !isLastDay(task, day, user)) return '';
  return t.plan.lastDay(exact(target.amount - amount), target.unit);
}

/** Whether the target of a week or month asks for its rest today: no later day of it does, as far as this device knows. */
export function isLastDay(task: Task, day: string, user: User): boolean {
  if (!isOfPeriod(task) || day !== user.today) return false;
  // Only its last day is not kept by what is done on it.
  return dayOf(task, day).state === 'PARTIAL' || daysAfter(day, task, user) === 0;
}

/** Whether the days that are left of its week or month, with this one, are no more than it still asks for. */
export const mustBeToday = (task: Task, user: User, known: Known): boolean =>
  openBefore(task, user, known) > daysAfter(user.today, task, user);

/** How many days of a week or month are left after one that do not rest, as far as this device knows. */
function daysAfter(date: string, task: Task, user: User): number {
  let left = 0;
  for (let day = later(date, 1); isSamePeriod(task, day, date, user); day = later(day, 1))
    if (!dayOf(task, day).isSkipped && !isPaused(day, task, user)) left += 1;
  return left;
}

/**
 * Whether nothing was done on the last day on which the target of a week or month could be met, which it was not: nor on
 * a day that rests, as far as this device knows.
 */
export function isLetGo(task: Task, day: string, user: User, known: Known): boolean {
  if (!isOfPeriod(task) || !dayOf(task, day).isDue || daysAfter(day, task, user) > 0) return false;
  let done = 0;
  for (const { date } of task.days) {
    const { amount, isToday } = standingOf(task, date, known);
    // That of today is of the whole week or month.
    if (isSamePeriod(task, date, day, user)) done = isToday ? amount : done + amount;
  }
  return done < (task.target?.amount ?? 0);
}

/** How many days its week or month asked for before today, by the service and with what is on its way. */
function openBefore(task: Task, user: User, known: Known): number {
  const { today } = user;
  const { goal, done } = task.thisPeriod ?? { goal: 0, done: 0 };
  const isSaved = (day: string) => dayOf(task, day).state === 'KEPT';
  const coming = weekUpTo(today).filter(
    (day) =>
      day < today &&
      isSamePeriod(task, day, today, user) &&
      standingOf(task, day, known).isKept &&
      !isSaved(day),
  );
  return goal - (done - Number(isSaved(today)) + coming.length);
}

function ofWeek(task: Task, times: number, day: string, user: User, known: Known): string {
  const week = weekOf(task, day, user, known);
  if (!week) return t.plan.often(times, 'WEEK');
  return t.limits.ofWeek(keptOf(week));
}

/** Of today: not all days of the month before an earlier one are known here. */
function ofMonth(task: Task, times: number, day: string, user: User, known: Known): string {
  if (!task.thisPeriod || day !== user.today) return t.plan.often(times, 'MONTH');
  const { goal } = task.thisPeriod;
  const kept = goal - openBefore(task, user, known) + Number(standingOf(task, day, known).isKept);
  return t.limits.ofMonth(keptOf({ kept, goal }));
}

const keptOf = ({ kept, goal }: Kept): string =>
  kept > goal ? t.number(kept) : t.list.ofSection(kept, goal);

/** `●●○` */
export function dotsOf(task: Task, day: string, user: User, known: Known): string {
  const week = standingOf(task, day, known).isNeutral ? null : weekOf(task, day, user, known);
  return week ? '●'.repeat(week.kept) + '○'.repeat(Math.max(0, week.goal - week.kept)) : '';
}

interface Kept {
  kept: number;
  goal: number;
}

/** Not all days of an earlier week are known here. A week of fewer days than it asks for asks for those. */
function weekOf(task: Task, day: string, user: User, known: Known): Kept | null {
  const { timesPer } = task.schedule;
  const first = firstOfWeek(user.today, user);
  if (timesPer?.period !== 'WEEK' || day < first) return null;
  const days = WEEKDAYS.map((_name, index) => later(first, index));
  const isKept = (date: string) => date <= user.today && standingOf(task, date, known).isKept;
  const isNeutral = (date: string) => dayOf(task, date).state === 'SKIPPED' || isPaused(date, task, user);
  const kept = days.filter(isKept).length;
  return {
    kept,
    goal: Math.min(timesPer.count, days.filter((date) => isKept(date) || !isNeutral(date)).length),
  };
}
