import { newKey } from '../../../../packages/client/src/key.js';
import {
  inputOf,
  type Refusal,
  type Settle,
  type Result as Settled,
  senderOf,
} from '../../../../packages/client/src/sender.js';
import { clock, now } from '../shell/clock.js';
import { failed, learn, refreshAgain } from '../shell/screen.js';
import { alone, toOthers } from '../shell/tabs.js';
import { momentIn } from '../today/days.js';
import { exact, isToggledOff, pendingOf, standingOf } from '../today/standing.js';
import { holdStill } from '../today/still.js';
import { isOfDay, stepOf } from '../today/target.js';
import { ask, isRefusal, loaded, ownToken } from './api.js';
import { COMPLETE, REACH } from './documents.js';
import { keepTap, tapsOf, waitingTaps } from './storage.js';
import { get, knownIn, NO_NOTICE, set, setBriefly } from './store.js';
import { inTurn } from './turns.js';
import type { Tap, Task, User } from './types.js';

const tellOthers = toOthers('taps', () => void reload());

/** Other windows show the same taps. */
export async function changed(): Promise<void> {
  await reload();
  tellOthers();
}

async function reload(): Promise<void> {
  const { session } = get();
  if (!session) return;
  const taps = await tapsOf(session.userId);
  const before = get();
  if (before.session?.userId !== session.userId) return;
  if (JSON.stringify(before.taps) !== JSON.stringify(taps)) set({ taps }); // what is the same is not drawn again
}

/** A tap does it; what is done is taken back. To a target or limit it adds a step, to a target of a day at most what is left. */
export async function tap(task: Task, day: string): Promise<void> {
  const state = get();
  if (!state.screen) return;
  const standing = standingOf(task, day, knownIn(state, state.screen));
  if (isToggledOff(task, standing)) return undo(task, day);
  if (!task.target) return record(task, day);
  const left = exact(task.target.amount - standing.amount);
  return record(task, day, isOfDay(task) && left > 0 ? Math.min(stepOf(task), left) : stepOf(task));
}

/** Whether another tap would take something back, or add to what is enough: a second half of a double tap may not. */
export function isEnough(task: Task, day: string): boolean {
  const state = get();
  const isKept = state.screen && standingOf(task, day, knownIn(state, state.screen)).isKept;
  return Boolean(isKept) && isOfDay(task);
}

/** Shown at once, kept on the device next, and then sent. */
export async function record(
  task: Task,
  day: string,
  amount: number | null = null,
  note: string | null = null,
  key = newKey(),
): Promise<void> {
  const { session, taps, screen } = get();
  if (!session || !screen) return;
  const isPast = day < screen.user.today;
  const made: Tap = {
    key,
    userId: session.userId,
    taskId: task.id,
    title: task.title,
    at: isPast ? momentIn(day, now(), screen.user) - clock.ahead() : Date.now(),
    amount,
    note,
  };
  holdStill();
  set({ taps: [...taps, made], ...NO_NOTICE });
  setBriefly({ toast: { taskId: task.id, day } });
  await keepTap(made);
  await send();
  tellOthers();
}

type Result = Settled & { isReplayed: boolean; task: Task | null };

interface Completed {
  completeTasks: { results: Result[]; user: User };
}

async function* pieces(most: number): AsyncGenerator<Tap[]> {
  const { session } = get();
  try {
    while (session?.token) {
      // Taps that surely did not leave can be taken back. A service on this machine is there without a network too.
      if (!navigator.onLine) await ask(REACH, {});
      const taps = await waitingTaps.take(session.userId, most);
      if (taps.length === 0) return;
      yield taps;
      await changed();
    }
  } finally {
    await changed();
  }
}

/** What is counted now is no longer on its way: both are shown at once. */
const complete = (taps: readonly Tap[], token: string | null, settle: Settle<Tap, Refusal>) =>
  inTurn(
    taps.map(({ taskId }) => taskId),
    async (learned) => {
      // Once is enough without a target, unless there is something to say of it: another device may have done it.
      const once = ({ amount, note }: Tap) => amount === null && !note;
      const input = taps.map((tap) => inputOf({ ...tap, once: once(tap) }, clock));
      const { results, user } = (await ask<Completed>(COMPLETE, { input }, token)).completeTasks;
      for (const [index, tap] of taps.entries()) {
        const result = results[index] as Result;
        const { completion, isReplayed } = result;
        if (completion && !isReplayed) learned(`COMPLETION_RECORDED${completion.id}`, tap.taskId);
        await settle(tap, result);
      }
      const left = await tapsOf(user.id);
      if (get().session?.userId === user.id) set({ taps: left });
      learn({ user, tasks: results.flatMap(({ task }) => task ?? []) });
    },
    refreshAgain,
  );

/** Sends all that waits, one window at a time where that is possible: the keys make twice harmless. */
export const send = senderOf<Tap, Refusal>(
  {
    ...waitingTaps,
    token: ownToken,
    pieces,
    send: complete,
    undo: async (tap, token) => (await undoing()).undoTap(tap, token),
    isRefusal,
    failed,
    alone: (work) => alone('send', work),
  },
  clock,
);

/** What asks the service. */
const undoing = () => loaded(() => import('./undo.js'));

/** Takes back the latest tap of a task on a day: from the device if it was not sent, else from the service. */
export async function undo(task: Task, day: string): Promise<void> {
  holdStill();
  set({ toast: null });
  const state = get();
  if (!state.screen) return;
  const waiting = pendingOf(task, day, knownIn(state, state.screen)).at(-1);
  if (!waiting) return (await undoing()).undoSaved(task, day);
  const isThere = await waitingTaps.takeBack(waiting.key);
  await changed();
  if (isThere) await send();
  else await (await undoing()).undoCounted(task, day);
}
