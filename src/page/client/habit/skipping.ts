import { change } from '../sync/changes.js';
import { SKIP, UNSKIP } from '../sync/later-documents.js';
import { tell } from '../sync/store.js';
import type { DayState, Task, TaskDay } from '../sync/types.js';
import { t } from '../ui/language.js';

const SETTLED: readonly DayState[] = ['KEPT', 'SKIPPED', 'PAUSED'];

/** Whether a day is skipped or can be. What was done of one that has begun stays. */
export function skippingOf({ isSkipped }: Pick<TaskDay, 'isSkipped'>, state: DayState) {
  const isBegun = state === 'PARTIAL';
  const isAsked = !SETTLED.includes(state);
  return {
    isBegun,
    isSkipped: isSkipped && (isAsked || state === 'SKIPPED'),
    canSkip: isAsked && !isSkipped,
  };
}

/** Again: changes the note, if one is given. */
export const skipDay = (taskId: string, date: string, note?: string | null) =>
  change(SKIP, { taskId, date, note });

/** It can be asked for again at once. */
export async function skip(task: Task, day: string, isBegun: boolean): Promise<void> {
  await skipDay(task.id, day);
  const act = () => unskip(task, day, isBegun);
  tell(t.menu.isSkipped(task.title, isBegun), true, { undo: { words: t.common.undo, act } });
}

/** What was done on it is seen all the same, so it is said what that means. */
export async function unskip({ id, title }: Task, day: string, isBegun: boolean): Promise<void> {
  await change(UNSKIP, { taskId: id, date: day });
  if (isBegun) tell(t.menu.isNotSkipped(title), true);
}
