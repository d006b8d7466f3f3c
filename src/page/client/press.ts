import { t } from './language.js';
import { isTakenBackBy, tap } from './taps.js';
import { allowsNone } from './target.js';
import type { Task } from './types.js';

/** A tap. Whoever wants none of it is asked once more. */
export function press(task: Task, day: string): void {
  const isSlip = allowsNone(task) && !isTakenBackBy(task, day);
  const act = () => tap(task, day);
  if (isSlip) void ask(task, act);
  else void act();
}

async function ask({ title }: Task, act: () => Promise<void>): Promise<void> {
  const { sure } = await import('./sure.js');
  sure(t.limits.slippedSure(title), t.limits.slipped, act, true);
}
