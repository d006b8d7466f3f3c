import type { Screen, Tap, Task, TaskDay, User } from '../../src/page/client/sync/types.js';

/** A Saturday. */
export const TODAY = '2026-11-21';

export const BERLIN = { timeZone: 'Europe/Berlin', dayStartsAt: 0, weekStartsOn: 'MONDAY' } as const;

export const at = (instant: string) => Date.parse(instant);

/** Every day. */
export const NO_SCHEDULE = { weekdays: null, everyDays: null, timesPer: null };

export const streak = { unit: 'DAYS', count: 0, longest: 0 } as const;

export const doneOn = (date: string, completionCount: number, state?: TaskDay['state']): TaskDay => ({
  date,
  completionCount,
  amount: completionCount,
  state: state ?? (completionCount > 0 ? 'KEPT' : 'OPEN'),
  isSkipped: state === 'SKIPPED',
});

export const task = (id: string, completionCount = 0, change: Partial<Task> = {}): Task => ({
  ...{ id, title: 'Swim', description: null, points: 10, challengeTemplate: null, target: null, step: null },
  ...{ schedule: { ...NO_SCHEDULE }, hasGraceDay: false, colour: null, icon: null, tags: [], section: null },
  ...{ pauses: [], thisPeriod: null, streak },
  today: { lastCompletion: completionCount ? { id: '1' } : null, periodAmount: 0 },
  days: [doneOn('2026-11-20', 0, 'MISSED'), doneOn(TODAY, completionCount)],
  ...change,
});

export const userOn = (today: string, change: Partial<User> = {}): User => ({
  ...BERLIN,
  ...{ id: 'ana', name: 'Ana', email: 'ana@example.com', language: null, sections: [], points: 0 },
  ...{ today, streak, pauses: [], activeChallenge: null },
  ...change,
});

export const screenOf = (user: User, ...tasks: Task[]): Screen => ({
  ...{ user, tasks, archived: [], canRemind: false },
});

export const tap = (change: Partial<Tap> = {}): Tap => ({
  ...{ key: 'one', userId: 'ana', taskId: '1', title: 'Swim', at: at(`${TODAY}T12:00:00Z`), refusal: null },
  ...{ amount: null, note: null, isSent: false, isUndone: false, countsOnArrival: false },
  ...change,
});
