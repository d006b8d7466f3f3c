import { type ComponentType, h } from 'preact';
import type { Dialog, State } from '../sync/store.js';
import type { Task } from '../sync/types.js';
import { t } from '../ui/language.js';
import { openLater } from './later.js';

type View<Props> = ComponentType<Props & { state: State }>;

interface Dialogs {
  Menu: View<{ id: string; day: string }>;
  Entry: View<{ id: string; day: string }>;
  Habit: View<{ id: string }>;
  TaskForm: View<{ task: Task | null; templateId: string | null }>;
  Arrangement: View<object>;
  Board: View<object>;
  Settings: View<object>;
  Account: View<object>;
  Keys: View<object>;
}

interface InWords {
  habitReminders: () => Promise<View<{ id: string }>>;
  checkInLinks: () => Promise<View<{ id: string }>>;
  reminders: () => Promise<View<object>>;
}

let dialogs: () => Promise<Dialogs>;

let inWords: () => Promise<InWords>;

/** They open each other, so what loads them is named in one place that none of them imports. */
export function offerViews(ofDialogs: () => Promise<Dialogs>, ofWords: () => Promise<InWords>): void {
  dialogs = ofDialogs;
  inWords = ofWords;
}

type PropsOf<Some> = Some extends ComponentType<infer Props> ? Omit<Props, 'state'> : never;

const shown =
  (props: object) =>
  (View: unknown): Dialog['view'] =>
  ({ state }) =>
    h(View as View<object>, { ...props, state });

const open = <Name extends keyof Dialogs>(
  title: string,
  name: Name,
  props: PropsOf<Dialogs[Name]>,
  address = '',
) => openLater(title, async () => (await dialogs())[name], shown(props), address);

const openInWords = <Name extends keyof InWords>(
  title: string,
  name: Name,
  props: PropsOf<Awaited<ReturnType<InWords[Name]>>>,
) => openLater(title, async () => (await inWords())[name](), shown(props));

/** What can be done with a habit, on a day. */
export const openMenu = (task: Task, day: string) => open(task.title, 'Menu', { id: task.id, day });

/** How much was done, and notes. */
export const openEntry = (task: Task, day: string) => open(task.title, 'Entry', { id: task.id, day });

/** The habit's own view. */
export const openHabit = (task: Task) => open(task.title, 'Habit', { id: task.id }, `habit/${task.id}`);

/** A new habit, perhaps for a challenge, or one to change. */
export const openTaskForm = (task: Task | null = null, templateId: string | null = null) =>
  open(task ? t.form.editHabit : t.list.newHabit, 'TaskForm', {
    task,
    templateId,
  });

export const openArrangement = () => open(t.list.arrange, 'Arrangement', {});

export const openBoard = () => open(t.board.title, 'Board', {}, 'board');

export const openSettings = () => open(t.settings.title, 'Settings', {});

export const openAccount = () => open(t.account.title, 'Account', {});

export const openKeys = () => open(t.keys.title, 'Keys', {});

/** When a habit rings. */
export const openHabitReminders = (task: Task) =>
  openInWords(`${task.title} · ${t.menu.remind}`, 'habitReminders', { id: task.id });

export const openCheckInLinks = (task: Task) =>
  openInWords(`${task.title} · ${t.menu.checkIn}`, 'checkInLinks', { id: task.id });

export const openReminders = () => openInWords(t.settings.reminders, 'reminders', {});

/** Of a habit, of all of them, or of the form of a new one: shortcuts and notifications of the device lead there. */
export function openAddress(address: string, tasks: readonly Task[]): void {
  const [name = '', id] = address.split(/[/=]/);
  const task = tasks.find((each) => each.id === id);
  if (/^(habit|task)$/.test(name) && task) void openHabit(task);
  if (name === 'board') void openBoard();
  if (name === 'new') void openTaskForm();
}
