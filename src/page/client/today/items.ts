import type { ComponentChild } from 'preact';
import type { Screen, Task, User } from '../sync/types.js';
import { dotsOf, isLastDay, isLetGo, mustBeToday, planOf } from './plan.js';
import { runOn } from './runs.js';
import { type Group, groupOf, type Known, type Standing, settledOf, standingOf } from './standing.js';
import { isLimit, isOfPeriod } from './target.js';

/** `week` is what some day of the week asks for, and this one need not. */
export type Place = Group | 'week' | 'limit';

/** A habit on the day that is shown. */
export interface Item {
  task: Task;
  standing: Standing;
  /** Where it stands. */
  now: Place;
  /** Why it rests, or when it is due. */
  plan: string;
  /** One for each day of the week that was kept, and an open one for each that is still asked for. */
  dots: string;
  /** On the day that is shown; null: nobody knows. */
  run: number | null;
  /** As it was drawn: the same is not compared again. */
  row?: ComponentChild;
}

export function itemsOf({ tasks, user }: Screen, known: Known, day: string): Item[] {
  const name = `item ${day} ${user.weekStartsOn}`;
  return tasks.map((task) =>
    settledOf<Item>(task, known, name, () => ({
      task,
      standing: standingOf(task, day, known),
      now: placeOf(task, day, user, known),
      plan: planOf(task, day, user, known),
      dots: dotsOf(task, day, user, known),
      run: runOn(task, day, user),
    })),
  );
}

interface Shown {
  day: string | null;
  held: { groups: ReadonlyMap<string, string>; state: { day: string | null } } | null;
}

/** Where each habit is shown, by its id: under the hand it stays. */
export function groupsOf(items: readonly Item[], { held, day }: Shown): ReadonlyMap<string, string> {
  const groups = held?.state.day === day ? held.groups : null;
  return new Map(items.map(({ task: { id }, now }) => [id, groups?.get(id) ?? now]));
}

/** On a day on which it need not be done, a habit of so many days a week is not among what is asked for. */
export const placeOf = (task: Task, day: string, user: User, known: Known): Place =>
  settledOf(task, known, `place ${day} ${user.weekStartsOn}`, () => foundPlace(task, day, user, known));

function foundPlace(task: Task, day: string, user: User, known: Known): Place {
  const standing = standingOf(task, day, known);
  const group = groupOf(standing);
  const { timesPer } = task.schedule;
  if (isLimit(task)) return limitPlace(task, day, known);
  if (isOfPeriod(task) && day === user.today && !standing.isNeutral) {
    const { isKept, saved, pending } = standing;
    if (!isLastDay(task, day, user)) return 'week'; // whatever was done today
    return isKept ? (saved + pending > 0 ? 'done' : 'week') : 'open';
  }
  if (group === 'rest' && !standing.isNeutral && isLetGo(task, day, user, known)) return 'open';
  if (!timesPer || day !== user.today || group === 'rest') return group;
  return mustBeToday(task, user, known) ? group : 'week';
}

/** What need not be done on a day counts once it was: so the number of today is that of this day tomorrow. */
export function isDoneIn(place: Place, task: Task, { isKept, saved, pending }: Standing): boolean {
  if (place !== 'week') return place === 'done';
  return isOfPeriod(task) ? saved + pending > 0 : isKept;
}

/** What is still asked for, and what is done of it. */
export const countOf = (items: readonly Item[]) => ({
  left: items.filter(({ now }) => now === 'open').length,
  done: items.filter(({ now, task, standing }) => isDoneIn(now, task, standing)).length,
});

/** What stands below a heading, and is kept; limits ask for nothing. */
export function sectionCount(items: readonly Item[]) {
  const asking = items.filter(({ now }) => now !== 'limit');
  return { all: asking.length, done: asking.filter(({ standing }) => standing.isKept).length };
}

/** Nothing is left, and no limit was exceeded on the day. */
export const isAllDone = ({
  open,
  done,
  limit,
}: Record<'open' | 'done' | 'limit', readonly Item[]>): boolean =>
  open.length === 0 &&
  done.length > 0 &&
  !limit.some(({ standing: { isOver, status } }) => isOver && status !== 'open');

/** By the user and the date: what habits that are archived by now asked for, and what was done of it. */
export const ofArchived = new Map<string, { asked: number; done: number }>();

/** How many habits each day asks for, and how many of them are done. */
export function countsByDay({ tasks, user }: Screen, days: readonly string[], known: Known) {
  const counts = days.map((date) => ({ date, asked: 0, done: 0, ...ofArchived.get(user.id + date) }));
  const name = `days ${user.weekStartsOn}`;
  for (const task of tasks) {
    const own = settledOf(task, known, name, () =>
      days.map((day) => {
        const place = placeOf(task, day, user, known);
        const isDone = isDoneIn(place, task, standingOf(task, day, known));
        return { isDone, isAsked: isDone || place === 'open' };
      }),
    );
    for (const [index, count] of counts.entries()) {
      count.asked += Number(own[index]?.isAsked);
      count.done += Number(own[index]?.isDone);
    }
  }
  return counts;
}

/** A limit asks for nothing. */
function limitPlace(task: Task, day: string, known: Known): Place {
  const { isNeutral, state, saved, pending } = standingOf(task, day, known);
  return isNeutral || (state === 'REST' && saved + pending === 0) ? 'rest' : 'limit';
}
