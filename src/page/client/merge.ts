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
    tasks: screen.tasks.map((task) => byId.get(task.id) ?? task),
  };
}

function withDays(calendar: readonly Day[], news: readonly Day[]): Day[] {
  const byDate = new Map([...calendar, ...news].map((day) => [day.date, day]));
  return [...byDate.values()].sort((one, other) => (one.date < other.date ? -1 : 1));
}
