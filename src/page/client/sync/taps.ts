import { newKey } from '../../../../packages/client/src/key.js';
import { Backoff } from '../../../../packages/client/src/retry.js';
import { JUST_NOW, TOGETHER } from '../../../../packages/client/src/sending.js';
import { clockIsAhead, momentOf, now } from '../shell/clock.js';
import { failed, learn, refreshAgain } from '../shell/screen.js';
import { alone, toOthers } from '../shell/tabs.js';
import { momentIn } from '../today/days.js';
import { exact, isToggledOff, pendingOf, standingOf } from '../today/standing.js';
import { holdStill } from '../today/still.js';
import { isOfDay, stepOf } from '../today/target.js';
import { t } from '../ui/language.js';
import { ask, hasTokenEnded, NoAnswer, Refused } from './api.js';
import { COMPLETE, REACH } from './documents.js';
import { changeTap, forgetTap, keepTap, takeTaps, tapsOf } from './storage.js';
import { get, knownIn, NO_NOTICE, set, setBriefly } from './store.js';
import { inTurn, type Learned } from './turns.js';
import type { Tap, Task, User } from './types.js';

/** In milliseconds. */
const CLOCK_NEWS = 1_500;

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
    at: isPast ? momentIn(day, now(), screen.user) - clockIsAhead() : Date.now(),
    amount,
    note,
    isSent: false,
    isUndone: false,
    countsOnArrival: false,
    refusal: null,
  };
  holdStill();
  set({ taps: [...taps, made], ...NO_NOTICE });
  setBriefly({ toast: { taskId: task.id, day } });
  await keepTap(made);
  await send();
  tellOthers();
}

const backoff = new Backoff({ first: 1_000, longest: 30_000 });
let timer: ReturnType<typeof setTimeout> | undefined;

let next: Promise<void> | undefined;

/** Sends all that waits, one window at a time where that is possible: the keys make twice harmless. */
export function send(): Promise<void> {
  clearTimeout(timer);
  next ??= alone('send', sendAll);
  return next;
}

async function sendAll(): Promise<void> {
  next = undefined; // what is tapped from now on may not be among what is sent
  try {
    while (await sendSome()) backoff.reset();
  } catch (error) {
    failed(error);
    if (error instanceof NoAnswer) timer = setTimeout(() => void send(), backoff.next());
  } finally {
    await changed();
  }
}

interface Result {
  completion: { id: string } | null;
  isReplayed: boolean;
  isDoneAlready: boolean;
  task: Task | null;
  error: { message: string; reason: string } | null;
}

interface Completed {
  completeTasks: { results: Result[]; user: User };
}

/** False when nothing is left to send. */
async function sendSome(): Promise<boolean> {
  const { session } = get();
  if (!session?.token) return false;
  // Taps that surely did not leave can be taken back. A service on this machine is there without a network too.
  if (!navigator.onLine) await ask(REACH, {});
  const taps = await takeTaps(session.userId, TOGETHER);
  if (taps.length === 0) return false;
  const undone = await inTurn(
    taps.map(({ taskId }) => taskId),
    (learned) => sendThese(session.userId, taps, learned),
    refreshAgain,
  );
  for (const { key, taskId, completionId } of undone) {
    // Forgotten after it was undone: should the connection drop in between, both are asked for again.
    if (completionId) await (await undoing()).undoCompletion(completionId, taskId).catch(tellRefusal);
    await forgetTap(key);
  }
  await changed();
  return true;
}

interface Counted {
  key: string;
  taskId: string;
  completionId: string | undefined;
}

/** What is counted now is no longer on its way: both are shown at once. Returns what was undone since it was sent. */
async function sendThese(userId: string, taps: Tap[], learned: Learned): Promise<Counted[]> {
  const ahead = clockIsAhead();
  const completed = await complete(taps);
  if (!completed) return [];
  const { results, user } = completed;
  // This device's clock was set since it was last compared: what was in the future is sent again.
  const isClockNews = Math.abs(clockIsAhead() - ahead) > CLOCK_NEWS;
  const undone: Counted[] = [];
  for (const [index, tap] of taps.entries()) {
    const { key, taskId } = tap;
    const result = results[index];
    const completionId = result?.completion?.id;
    if (completionId && !result?.isReplayed) learned(`COMPLETION_RECORDED${completionId}`, taskId);
    if (isClockNews && result?.error?.reason === 'IN_FUTURE') continue;
    const isUndone = await settle(tap, result);
    if (isUndone)
      undone.push({ key, taskId, completionId: result?.isDoneAlready ? undefined : completionId });
  }
  const left = await tapsOf(userId);
  if (get().session?.userId === userId) set({ taps: left });
  learn({ user, tasks: results.flatMap(({ task }) => task ?? []) });
  return undone;
}

/** Null when the service refuses all of them: asking again would change nothing. */
async function complete(taps: Tap[]): Promise<Completed['completeTasks'] | null> {
  try {
    return (await ask<Completed>(COMPLETE, { input: taps.map(inputOf) })).completeTasks;
  } catch (error) {
    if (!(error instanceof Refused) || hasTokenEnded(error)) throw error;
    for (const tap of taps) await refuse(tap, error);
    return null;
  }
}

function inputOf({ key, taskId, at, amount, note, countsOnArrival }: Tap) {
  // Once is enough without a target, unless there is something to say of it: another device may have done it.
  const done = { taskId, idempotencyKey: key, amount, note, once: amount === null && !note };
  return countsOnArrival ? done : { ...done, at: new Date(momentOf(at)).toISOString() };
}

/** Whether it was counted, and undone since it was sent. */
async function settle(tap: Tap, { error }: Partial<Result> = {}): Promise<boolean> {
  let isUndone = false;
  const isJustNow = !tap.countsOnArrival && Date.now() - tap.at < JUST_NOW;
  if (error?.reason === 'TOO_LONG_AGO' && isJustNow) {
    await changeTap(tap.key, (kept) => ({ ...kept, countsOnArrival: true }));
  } else if (error) {
    await refuse(tap, error);
  } else {
    await changeTap(tap.key, (kept) => {
      isUndone = kept.isUndone;
      return isUndone ? kept : null;
    });
  }
  return isUndone;
}

/** It was counted and stays counted: that is no refusal of a tap. */
function tellRefusal(error: unknown): void {
  if (!(error instanceof Refused) || hasTokenEnded(error)) throw error;
  failed(error);
}

const refuse = ({ key }: Tap, { reason, message }: { reason: string; message: string }) =>
  changeTap(key, (kept) => (kept.isUndone ? null : { ...kept, refusal: { reason, message } })).then(() => {});

/** What asks the service. */
const undoing = () =>
  import('./undo.js').catch(() => {
    throw new Refused(t.notices.partMissing, '');
  });

/** Takes back the latest tap of a task on a day: from the device if it was not sent, else from the service. */
export async function undo(task: Task, day: string): Promise<void> {
  holdStill();
  set({ toast: null });
  const state = get();
  if (!state.screen) return;
  const waiting = pendingOf(task, day, knownIn(state, state.screen)).at(-1);
  if (!waiting) return (await undoing()).undoSaved(task, day);
  let isSent = false;
  const isThere = await changeTap(waiting.key, (kept) => {
    isSent = kept.isSent && !kept.refusal;
    return isSent ? { ...kept, isUndone: true } : null;
  });
  await changed();
  if (isSent) await send();
  else if (!isThere) await (await undoing()).undoCounted(task, day);
}
