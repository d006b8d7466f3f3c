import { change } from './changes.js';
import { t } from './language.js';
import { SKIP, UNSKIP } from './later-documents.js';
import { skippedHere } from './standing.js';
import { tell } from './store.js';
import type { DayState, Task } from './types.js';

const SKIPPED_FROM: readonly DayState[] = [
  ...(['DUE', 'MISSED', 'REST', 'PARTIAL', 'FUTURE'] as const),
  ...(['WITHIN', 'EXCEEDED'] as const),
];

/** Whether a day is skipped or can be. What was done of one that has begun stays. */
export function skippingOf(task: Task, date: string, state: DayState) {
  const isBegun = state === 'PARTIAL';
  const isSkipped = state === 'SKIPPED' || (isBegun && skippedHere.has(`${task.id} ${date}`));
  return { isBegun, isSkipped, canSkip: !isSkipped && SKIPPED_FROM.includes(state) };
}

/** Again: changes the note. */
export const skipDay = (taskId: string, date: string, note: string | null = null) =>
  change(SKIP, { taskId, date, note });

/** A day that has begun looks the same, skipped or not, so it is said. */
export async function skip({ id, title }: Task, day: string, isBegun: boolean): Promise<void> {
  const name = `${id} ${day}`;
  if (isBegun) skippedHere.add(name);
  await skipDay(id, day).catch((error) => {
    skippedHere.delete(name);
    throw error;
  });
  if (isBegun) tell(t.menu.isSkipped(title), true);
}

export async function unskip({ id, title }: Task, day: string, isBegun: boolean): Promise<void> {
  const name = `${id} ${day}`;
  const wasHere = skippedHere.delete(name);
  await change(UNSKIP, { taskId: id, date: day }).catch((error) => {
    if (wasHere) skippedHere.add(name);
    throw error;
  });
  if (isBegun) tell(t.menu.isNotSkipped(title), true);
}
