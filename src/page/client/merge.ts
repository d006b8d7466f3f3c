import { onDay } from './days.js';
import type { Day, Screen, Task, User } from './types.js';

/** What an answer or an event tells of the screen. */
export interface News {
  user: User;
  tasks: readonly Task[];
}

/** Of the calendar, news have a few days only. */
export function merged(screen: Screen, { user, tasks }: News): Screen {
  if (user.id !== screen.user.id) return screen;
  const byId = new Map(tasks.map((task) => [task.id, task]));
  return {
    ...screen,
    user: { ...user, calendar: withDays(screen.user.calendar, user.calendar) },
    // What the news do not tell of is as it was on the day before, if a day has begun.
    tasks: onDay(screen, user.today).tasks.map((task) => byId.get(task.id) ?? task),
  };
}

/** The same array where the news are none: then the year is not drawn again. */
function withDays(calendar: Day[], news: readonly Day[]): Day[] {
  const byDate = new Map(calendar.map((day) => [day.date, day]));
  const changed = news.filter((day) => !isSame(byDate.get(day.date), day));
  if (changed.length === 0) return calendar;
  for (const day of changed) byDate.set(day.date, day);
  return [...byDate.values()].sort((one, other) => (one.date < other.date ? -1 : 1));
}

const isSame = (one: Day | undefined, other: Day) =>
  one?.completions === other.completions && one.points === other.points;

/** What was read anew, with the former year where nothing in it has changed. */
export function replaced(before: Screen | null, now: Screen): Screen {
  const calendar = before?.user.calendar ?? [];
  const news = now.user.calendar;
  const isOld = calendar.length === news.length && withDays(calendar, news) === calendar;
  return isOld ? { ...now, user: { ...now.user, calendar } } : now;
}
