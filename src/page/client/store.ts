import { currentSession, type Session } from './session.js';
import type { Screen, Tap, Task } from './types.js';

export type Dialog =
  | { kind: 'task'; task: Task | null; templateId: string | null }
  | { kind: 'keys' }
  | { kind: 'settings' }
  | { kind: 'sure'; question: string; yes: string; act: () => Promise<void> };

/** The latest tap, while it is offered to be undone. */
export interface Toast {
  taskId: string;
  title: string;
}

export interface State {
  session: Session | null;
  /** Null until something is known. */
  screen: Screen | null;
  taps: Tap[];
  /** Whether the last question was answered. */
  isOnline: boolean;
  toast: Toast | null;
  dialog: Dialog | null;
  /** A problem that belongs to nothing on the page. */
  problem: string;
  /** The form that was submitted last. */
  form: { name: string; problem: string; isBusy: boolean } | null;
  /** Whether the person has no account yet. */
  isNew: boolean;
  /** Whether the list has been drawn: the year, which is far larger, comes after it. */
  isListDrawn: boolean;
  /** The day of the heatmap that is looked at. */
  day: string | null;
}

const session = currentSession();

let state: State = {
  session,
  screen: null,
  taps: [],
  isOnline: navigator.onLine,
  toast: null,
  dialog: null,
  problem: '',
  form: null,
  isNew: !session,
  isListDrawn: false,
  day: null,
};

const listeners = new Set<() => void>();
let isTelling = false;

export const get = (): State => state;

/** Tells those who listen once, however much is changed in one go. */
export function set(change: Partial<State>): void {
  state = { ...state, ...change };
  if (isTelling) return;
  isTelling = true;
  queueMicrotask(() => {
    isTelling = false;
    for (const listener of listeners) listener();
  });
}

export const onChange = (listener: () => void): void => void listeners.add(listener);

/** Whether what is tapped can be sent now: without a log-in it waits as it does without a network. */
export const canSend = ({ isOnline, session }: State): boolean => isOnline && Boolean(session?.token);
