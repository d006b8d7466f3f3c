import type { ComponentType } from 'preact';
import { type Link, link } from '../shell/link.js';
import { currentSession, type Session } from '../shell/session.js';
import { weekUpTo } from '../today/days.js';
import type { Known } from '../today/standing.js';
import type { Screen, Tap } from './types.js';

export interface Dialog {
  title: string;
  view: ComponentType<{ state: State }>;
  /** The part of the URL that opens it again; empty: nothing does. */
  address: string;
}

/** The person should know it, and it belongs to nothing on the page. It goes by itself, and with the next tap. */
export interface Notice {
  text: string;
  isGood: boolean;
  /** Whether it ends something long. */
  isJoy?: boolean;
  /** What can be done about it. */
  undo?: { words: string; act: () => unknown };
}

/** The list as it was before a tap. */
export interface Held {
  /** Where each habit stood, by its id. */
  groups: ReadonlyMap<string, string>;
  /** What stood above the list. */
  state: State;
}

export interface State {
  session: Session | null;
  /** Null until something is known. */
  screen: Screen | null;
  taps: Tap[];
  /** Whether the last question was answered. */
  isOnline: boolean;
  /** The task and the day of the latest tap, while it is offered to be undone. */
  toast: { taskId: string; day: string } | null;
  /** The day whose list is shown; null: today. */
  day: string | null;
  /** What is looked for; null: nothing. */
  search: string | null;
  tag: string | null;
  /** While a hand is at the list, it stays as it was. */
  held: Held | null;
  dialog: Dialog | null;
  /** The chosen habit, where there is room for it beside the list. */
  beside: Dialog | null;
  /** It was told while no dialog was open, or as one was closed by what was done in it. */
  notice: Notice | null;
  /** It was told in the dialog that is open, and goes with it. */
  dialogNotice: Notice | null;
  /** That by which the page was opened, until it is used or put away. */
  link: Link | null;
  /** Whether the person has no account yet. */
  isNew: boolean;
  /** The address of whoever is to log in again, as long as this window knows it. */
  email: string;
}

export const NO_NOTICE = { notice: null, dialogNotice: null } satisfies Partial<State>;

/** Everything is shown. */
export const NO_CHOICE = { day: null, search: null, tag: null } satisfies Partial<State>;

const session = currentSession();

/** How the service takes new accounts, which it writes into the page: with a password only if this is `open`. */
export const signUpBy = document.documentElement.dataset.signUp;

let state: State = {
  session,
  screen: null,
  taps: [],
  isOnline: navigator.onLine,
  toast: null,
  ...NO_CHOICE,
  held: null,
  dialog: null,
  beside: null,
  ...NO_NOTICE,
  link,
  isNew: !session && signUpBy === 'open',
  email: '',
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

/** Tells it where the person is. */
export function tell(text: string, isGood = false, more: Partial<Notice> = {}): void {
  const notice: Notice = { text, isGood, ...more };
  if (document.querySelector('dialog[open]')) set({ dialogNotice: notice });
  else showNotice(notice);
}

/** In the place of what was told of a tap. */
export const showNotice = (notice: Notice): void => setBriefly({ notice, toast: null });

let passing: ReturnType<typeof setTimeout> | undefined;

/** In milliseconds: as long as it takes to read a letter. */
const READING = 60;

/** Shows what passes. Who uses keys, or has the page read aloud, needs longer to reach it. */
export function setBriefly(change: Partial<State>): void {
  set(change);
  clearTimeout(passing);
  const least = document.querySelector(':focus-visible') ? 8_000 : 4_000;
  passing = setTimeout(pass, Math.max(least, READING * (change.notice?.text.length ?? 0)));
}

function pass(): void {
  if (state.toast || state.notice) set({ toast: null, notice: null });
}

/** The next tap elsewhere is about something else. */
export const passWithTaps = (): void =>
  addEventListener(
    'click',
    ({ target, detail }) => {
      if (detail > 0 && !(target as Element).closest('.floating')) pass();
    },
    true,
  );

/** Whoever had a link from a mail has an account. */
export const putLinkAway = (): void => set({ link: null, isNew: false });

const knownBy = new WeakMap<State, Known>();

/** What says how a habit of this screen stands: the same object for all who draw a state. */
export function knownIn(state: State, { user }: Screen): Known {
  const before = knownBy.get(state);
  if (before?.zone === user) return before;
  const known = {
    taps: state.taps,
    isOnline: canSend(state),
    zone: user,
    today: user.today,
    pauses: user.pauses,
  };
  knownBy.set(state, known);
  return known;
}

/** The chosen day, as long as it is one of the last seven. */
export const shownDay = ({ day }: State, { user: { today } }: Screen): string =>
  day && weekUpTo(today).includes(day) ? day : today;

/** Whether what is tapped can be sent now: without a log-in it waits as it does without a network. */
const canSend = ({ isOnline, session }: State): boolean => isOnline && Boolean(session?.token);
