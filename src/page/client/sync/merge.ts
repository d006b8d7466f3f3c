import { onDay } from '../today/days.js';
import type { Screen, Task, User } from './types.js';

/** What an answer or an event tells of the screen. */
export interface News {
  user: User;
  tasks: readonly Task[];
}

export function merged(screen: Screen, { user, tasks }: News): Screen {
  if (user.id !== screen.user.id) return screen;
  const byId = new Map(tasks.map((task) => [task.id, task]));
  return {
    ...screen,
    user,
    // What the news do not tell of is as it was on the day before, if a day has begun.
    tasks: onDay(screen, user.today).tasks.map((task) => byId.get(task.id) ?? task),
  };
}
