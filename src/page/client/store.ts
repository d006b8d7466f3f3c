import type { Child } from './draw.js';
import { currentSession, type Session } from './session.js';
import type { ApiToken, Screen, Tap } from './types.js';
import type { Known } from './words.js';

export interface Dialog {
  title: string;
  content: (state: State) => Child;
}

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
  /** Null until they are known. */
  apiTokens: ApiToken[] | null;
  /** The text of the one that was just made: it is shown once. */
  newToken: string;
  /** What the person should know, and belongs to nothing on the page. */
  problem: string;
  /** The form that was submitted last. */
  form: { name: string; problem: string; isBusy: boolean } | null;
  /** Whether the person has no account yet. */
  isNew: boolean;
  /** Whether the list has been drawn: the year comes after it, and what else takes long. */
  isListDrawn: boolean;
  /** The day of the heatmap that is looked at. */
  day: string | null;
}

const session = currentSession();

/** The service writes into the page whether it takes new accounts. */
export const canSignUp = globalThis.document?.documentElement.dataset.signUp !== 'closed';

let state: State = {
  session,
  screen: null,
  taps: [],
  isOnline: navigator.onLine,
  toast: null,
  dialog: null,
  apiTokens: null,
  newToken: '',
  problem: '',
  form: null,
  isNew: !session && canSignUp,
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

/** What says how a habit of this screen stands. */
export const knownIn = (state: State, { user }: Screen): Known => ({
  taps: state.taps,
  isOnline: canSend(state),
  zone: user,
  today: user.today,
});

/** Whether what is tapped can be sent now: without a log-in it waits as it does without a network. */
export const canSend = ({ isOnline, session }: State): boolean => isOnline && Boolean(session?.token);
