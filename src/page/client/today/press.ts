import { tap } from '../sync/taps.js';
import type { Task } from '../sync/types.js';
import { takeTurn } from '../ui/dialog.js';
import { t } from '../ui/language.js';
import { allowsNone } from './target.js';

/** A tap. Whoever wants none of it is asked once more. */
export function press(task: Task, day: string): void {
  const act = () => tap(task, day);
  if (allowsNone(task)) void ask(task, act);
  else void act();
}

async function ask({ title }: Task, act: () => Promise<void>): Promise<void> {
  const isStillWanted = takeTurn();
  const { sure } = await import('../ui/sure.js');
  if (isStillWanted()) sure(t.limits.slippedSure(title), t.limits.slipped, act, true);
}
