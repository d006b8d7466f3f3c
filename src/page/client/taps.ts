import { ask, hasTokenEnded, NoAnswer, ownToken, Refused } from './api.js';
import { clockIsAhead, momentOf, now } from './clock.js';
import { momentIn } from './days.js';
import { COMPLETE, DAY_DONE, REACH, UNDO } from './documents.js';
import { t } from './language.js';
import { failed, learn, refresh } from './screen.js';
import { exact, isToggledOff, pendingOf, standingOf } from './standing.js';
import { holdStill } from './still.js';
import { changeTap, forgetTap, keepTap, takeTaps, tapsOf } from './storage.js';
import { get, knownIn, NO_NOTICE, type State, set, tell } from './store.js';
import { alone, toOthers } from './tabs.js';
import { isLimit, isOfDay } from './target.js';
import type { Completion, Tap, Task, User } from './types.js';

/** At most a hundred are allowed; fewer let the page say sooner what became of the first ones. */
const TOGETHER = 20;

/** In milliseconds. */
const LONGEST_PAUSE = 30_000;
const UNDO_OFFERED = 8_000;

/** In milliseconds. A service may count nothing of the past: a tap that has just been made is counted as it arrives. */
const JUST_NOW = 60_000;

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

/** A random name; `crypto.randomUUID` is missing where the page comes over plain http. */
export const newKey = () => crypto.getRandomValues(new Uint32Array(4)).join('-');

let toastTimer: ReturnType<typeof setTimeout> | undefined;

function offerUndo(toast: State['toast']): void {
  clearTimeout(toastTimer);
  set({ toast });
  if (toast) toastTimer = setTimeout(() => set({ toast: null }), UNDO_OFFERED);
}

/** A tap does it; what is done is taken back. To a target it adds one, and of a day at most what is left to reach it. */
export async function tap(task: Task, day: string): Promise<void> {
  const state = get();
  if (!state.screen) return;
  const standing = standingOf(task, day, knownIn(state, state.screen));
  if (isToggledOff(task, standing) || isTakenBackBy(task, day)) return undo(task, day);
  if (isLimit(task)) return recordOf(task, day);
  if (!task.target) return record(task, day);
  const left = exact(task.target.amount - standing.amount);
  return record(task, day, isOfDay(task) && left > 0 ? Math.min(1, left) : 1);
}

/** In milliseconds: for so long, another tap on a limit takes the last one back. */
const SLIP = 10_000;

let slip: { taskId: string; day: string; at: number } | undefined;

export const isTakenBackBy = ({ id }: Task, day: string): boolean =>
  slip?.taskId === id && slip.day === day && Date.now() - slip.at < SLIP;

/** Whether another tap would take something back, or add to what is enough: a second half of a double tap may not. */
export function isEnough(task: Task, day: string): boolean {
  const state = get();
  const isKept = state.screen && standingOf(task, day, knownIn(state, state.screen)).isKept;
  return isTakenBackBy(task, day) || (Boolean(isKept) && isOfDay(task));
}

function recordOf(task: Task, day: string): Promise<void> {
  slip = { taskId: task.id, day, at: Date.now() };
  return record(task, day, 1);
}

/** Shown at once, kept on the device next, and then sent. */
export async function record(
  task: Task,
  day: string,
  amount: number | null = null,
  note: string | null = null,
): Promise<void> {
  const { session, taps, screen } = get();
  if (!session || !screen) return;
  const isPast = day < screen.user.today;
  const made: Tap = {
    key: newKey(),
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
  offerUndo({ taskId: task.id, day });
  await keepTap(made);
  await send();
  tellOthers();
}

let pause = 1_000;
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
    while (await sendSome()) pause = 1_000;
  } catch (error) {
    failed(error);
    if (!(error instanceof NoAnswer)) return;
    timer = setTimeout(() => void send(), pause * (0.5 + Math.random() / 2));
    pause = Math.min(LONGEST_PAUSE, pause * 2);
  } finally {
    await changed();
  }
}

interface Result {
  completion: { id: string } | null;
  task: Task | null;
  error: { message: string; reason: string } | null;
}

interface Completed {
  completeTasks: { results: Result[]; user: User };
}

/** The tasks of which taps are on their way: their answer tells how they stand. */
let asked: ReadonlySet<string> = new Set();

/** News of a task count its taps that have arrived, which the page still adds until their answer is here. */
export const isAnswerDue = (taskId: string): boolean => asked.has(taskId);

/** False when nothing is left to send. */
async function sendSome(): Promise<boolean> {
  const { session } = get();
  if (!session?.token) return false;
  // Taps that surely did not leave can be taken back. A service on this machine is there without a network too.
  if (!navigator.onLine) await ask(REACH, {});
  const taps = await takeTaps(session.userId, TOGETHER);
  if (taps.length === 0) return false;
  const ahead = clockIsAhead();
  asked = new Set(taps.map(({ taskId }) => taskId));
  try {
    const completed = await complete(taps);
    // This device's clock was set since it was last compared: what was in the future is sent again.
    const isClockNews = Math.abs(clockIsAhead() - ahead) > CLOCK_NEWS;
    if (completed) await settleAll(session.userId, taps, completed, isClockNews);
  } finally {
    asked = new Set();
  }
  await changed();
  return true;
}

/** What is counted now is no longer on its way: both are shown at once. */
async function settleAll(
  userId: string,
  taps: Tap[],
  { results, user }: Completed['completeTasks'],
  isClockNews: boolean,
): Promise<void> {
  const undone: (readonly [key: string, completionId: string | undefined])[] = [];
  for (const [index, tap] of taps.entries()) {
    const result = results[index];
    if (isClockNews && result?.error?.reason === 'IN_FUTURE') continue;
    if (await settle(tap, result)) undone.push([tap.key, result?.completion?.id]);
  }
  const left = await tapsOf(userId);
  if (get().session?.userId === userId) set({ taps: left });
  learn({ user, tasks: results.flatMap(({ task }) => task ?? []) });
  for (const [key, completionId] of undone) {
    // Forgotten after it was undone: should the connection drop in between, both are asked for again.
    if (completionId) await undoCompletion(completionId).catch(tellRefusal);
    await forgetTap(key);
  }
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
  const done = { taskId, idempotencyKey: key, amount, note };
  return countsOnArrival ? done : { ...done, at: new Date(momentOf(at)).toISOString() };
}

/** Whether it was counted, and undone since it was sent. */
async function settle(tap: Tap, { error }: Partial<Result> = {}): Promise<boolean> {
  let isUndone = false;
  const isJustNow = !tap.countsOnArrival && Date.now() - tap.at < JUST_NOW;
  if (error?.reason === 'TOO_LATE' && isJustNow) {
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

/** Takes back the latest tap of a task on a day: from the device if it was not sent, else from the service. */
export async function undo(task: Task, day: string): Promise<void> {
  holdStill();
  slip = undefined;
  offerUndo(null);
  const state = get();
  if (!state.screen) return;
  const waiting = pendingOf(task, day, knownIn(state, state.screen)).at(-1);
  if (!waiting) return undoSaved(task, day);
  let isSent = false;
  const isThere = await changeTap(waiting.key, (kept) => {
    isSent = kept.isSent && !kept.refusal;
    return isSent ? { ...kept, isUndone: true } : null;
  });
  await changed();
  if (isSent) await send();
  else if (!isThere) await undoCounted(task, day);
}

/** The tap was counted while the person pressed. */
async function undoCounted({ id }: Task, day: string): Promise<void> {
  await refresh();
  const task = get().screen?.tasks.find((each) => each.id === id);
  if (task) await undoSaved(task, day);
}

async function undoSaved(task: Task, day: string): Promise<void> {
  try {
    const isToday = day === get().screen?.user.today;
    const id = isToday ? task.today.lastCompletionId : (await doneOn(task.id, day))[0]?.id;
    if (id) await undoCompletion(id);
  } catch (error) {
    if (failed(error) && !get().isOnline)
      tell(t.notices.cannotUndo(task.title), false, {
        undo: { words: t.notices.tryAgain, act: () => undoCounted(task, day) },
      });
  }
}

/** What was done of a habit on a day, latest first. */
export async function doneOn(taskId: string, day: string): Promise<Completion[]> {
  const { completions } = await ask<{ completions: { nodes: Completion[] } }>(DAY_DONE, { taskId, day });
  return completions.nodes;
}

interface Undone {
  undoCompletion: { task: Task; user: User };
}

/** One that is gone was undone elsewhere. */
export async function undoCompletion(id: string): Promise<void> {
  if (!ownToken()) return;
  try {
    const { undoCompletion } = await ask<Undone>(UNDO, { id });
    learn({ user: undoCompletion.user, tasks: [undoCompletion.task] });
  } catch (error) {
    const isGone = error instanceof Refused && error.reason === 'NOT_FOUND';
    if (!isGone) throw error;
  }
}
