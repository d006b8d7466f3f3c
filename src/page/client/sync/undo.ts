import { failed, learn, refresh, refreshAgain } from '../shell/screen.js';
import { dayOf } from '../today/standing.js';
import { t } from '../ui/language.js';
import { ask, isRefusal, ownToken, Refused } from './api.js';
import { UNDO } from './documents.js';
import { DAY_DONE } from './later-documents.js';
import { forgetTap } from './storage.js';
import { get, tell } from './store.js';
import { inTurn, type Learned } from './turns.js';
import type { Completion, Tap, Task, User } from './types.js';

/** The tap was counted while the person pressed. */
export async function undoCounted({ id }: Task, day: string): Promise<void> {
  await refresh();
  const task = get().screen?.tasks.find((each) => each.id === id);
  if (task) await undoSaved(task, day);
}

/** By what is known when its turn comes: what is on its way may change it. */
export async function undoSaved(task: Task, day: string): Promise<void> {
  const { id, title } = task;
  const takeLatest = async (learned: Learned) => {
    const latest = await latestOf(id, day);
    if (latest) await takeBack(latest, id, learned);
    return latest;
  };
  try {
    const undone = await inTurn([id], takeLatest, refreshAgain);
    if (!undone) tell(t.said(title, t.notices.nothingToUndo));
  } catch (error) {
    if (failed(error) && !get().isOnline)
      tell(t.notices.cannotUndo(title), false, {
        undo: { words: t.notices.tryAgain, act: () => undoCounted(task, day) },
      });
  }
}

/** The id of what was done last of a habit on a day. Without a network, what is known counts. */
async function latestOf(taskId: string, day: string): Promise<string | undefined> {
  const { screen, isOnline } = get();
  const task = screen?.tasks.find(({ id }) => id === taskId);
  const last = task?.today.lastCompletion;
  if (last && day === screen?.user.today) return last.id;
  if (task && !isOnline && dayOf(task, day).completionCount === 0) return undefined;
  return (await doneOn(taskId, day))[0]?.id;
}

/** What was done of a habit on a day, latest first. */
export async function doneOn(taskId: string, day: string): Promise<Completion[]> {
  const { completions } = await ask<{ completions: { nodes: Completion[] } }>(DAY_DONE, { taskId, day });
  return completions.nodes;
}

interface Undone {
  undoCompletion: { task: Task; user: User };
}

export const undoCompletion = (id: string, taskId: string): Promise<void> =>
  inTurn([taskId], (learned) => takeBack(id, taskId, learned), refreshAgain);

/** Forgotten after it was undone: should the connection drop in between, it is asked for again. */
export async function undoTap({ key, taskId, completionId = '' }: Tap, token: string | null): Promise<void> {
  try {
    await inTurn([taskId], (learned) => takeBack(completionId, taskId, learned, token), refreshAgain);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    failed(error); // it was counted and stays counted
  }
  await forgetTap(key);
}

/** One that is gone was undone elsewhere. */
async function takeBack(id: string, taskId: string, learned: Learned, token = ownToken()): Promise<void> {
  if (!token) return;
  try {
    const { undoCompletion } = await ask<Undone>(UNDO, { id }, token);
    learned(`COMPLETION_UNDONE${id}`, taskId);
    learn({ user: undoCompletion.user, tasks: [undoCompletion.task] });
  } catch (error) {
    const isGone = error instanceof Refused && error.reason === 'NOT_FOUND';
    if (!isGone) throw error;
    void refresh();
  }
}
