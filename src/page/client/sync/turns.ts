import type { News } from './merge.js';
import { get } from './store.js';
import type { Task, User } from './types.js';

// The service tells each change twice: by its answer, and to all who listen. What is older may arrive later, and must
// not overwrite what is known.

/** A change as the service tells it. */
export interface Told {
  kind: string;
  completionId: string | null;
  user: User;
  task: Task;
}

/** Says that an answer has told a change of a task. */
export type Learned = (name: string, taskId: string) => void;

interface Turn {
  taskIds: readonly string[];
  /** What was told meanwhile: all that is not of its own is asked for once more. */
  told: Set<string>;
}

/** Changes that an answer has told, each with its task, until they are told to all: up to then nothing is news. */
const due = new Map<string, string>();

/** How often a connection came in force: all that is changed from then on, and nothing before, will be told by it. */
let connections = 0;

export function followAnew(): void {
  connections += 1;
  due.clear();
}

let current: Turn | undefined;
let latest: Promise<unknown> = Promise.resolve();

/** One change of this window at a time: so no answer is older than the one before. */
export function inTurn<Done>(
  taskIds: readonly string[],
  work: (learned: Learned) => Promise<Done>,
  askAgain: () => unknown,
): Promise<Done> {
  const take = async () => {
    const own = new Map<string, string>();
    const told = new Set<string>();
    const before = connections;
    current = { taskIds, told };
    try {
      return await work((name, taskId) => own.set(name, taskId));
    } finally {
      current = undefined;
      for (const [name, taskId] of own)
        if (!told.delete(name) && before === connections) due.set(name, taskId);
      if (told.size > 0) askAgain();
    }
  };
  const done = latest.then(take);
  latest = done.catch(() => {});
  return done;
}

const isOnItsWay = (id: string) => current?.taskIds.includes(id);

/** Null where nothing of it is. */
export function newsOf({ kind, completionId, user, task }: Told): News | null {
  const name = kind + completionId;
  if (due.delete(name)) return null;
  current?.told.add(name);
  const isTold = isOnItsWay(task.id) || [...due.values()].includes(task.id);
  const known = due.size > 0 ? get().screen?.user : undefined;
  return { user: known ?? user, tasks: isTold ? [] : [task] };
}

/** What is read while taps are on their way may count them, which the page adds until their answer is here. */
export function withoutOnTheirWay(read: readonly Task[]): Task[] {
  current?.told.add('');
  const known = (id: string) => get().screen?.tasks.find((task) => task.id === id);
  return read.map((task) => (isOnItsWay(task.id) && known(task.id)) || task);
}
