import { type ComponentType, h } from 'preact';
import type { State } from '../sync/store.js';
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

function open<Props extends object>(
  title: string,
  load: () => Promise<View<Props>>,
  props: Props,
  address = '',
): Promise<void> {
  return openLater(
    title,
    load,
    (View) =>
      ({ state }) =>
        h(View, { ...props, state }),
    address,
  );
}

/** What can be done with a habit, on a day. */
export const openMenu = (task: Task, day: string) =>
  open(task.title, async () => (await dialogs()).Menu, { id: task.id, day });

/** How much was done, and notes. */
export const openEntry = (task: Task, day: string) =>
  open(task.title, async () => (await dialogs()).Entry, { id: task.id, day });

/** The habit's own view. */
export const openHabit = (task: Task) =>
  open(task.title, async () => (await dialogs()).Habit, { id: task.id }, `habit/${task.id}`);

/** A new habit, perhaps for a challenge, or one to change. */
export const openTaskForm = (task: Task | null = null, templateId: string | null = null) =>
  open(task ? t.form.editHabit : t.list.newHabit, async () => (await dialogs()).TaskForm, {
    task,
    templateId,
  });

export const openArrangement = () => open(t.list.arrange, async () => (await dialogs()).Arrangement, {});

export const openBoard = () => open(t.board.title, async () => (await dialogs()).Board, {}, 'board');

export const openSettings = () => open(t.settings.title, async () => (await dialogs()).Settings, {});

export const openAccount = () => open(t.account.title, async () => (await dialogs()).Account, {});

export const openKeys = () => open(t.keys.title, async () => (await dialogs()).Keys, {});

/** When a habit rings. */
export const openHabitReminders = (task: Task) =>
  open(`${task.title} · ${t.menu.remind}`, async () => (await inWords()).habitReminders(), { id: task.id });

export const openCheckInLinks = (task: Task) =>
  open(`${task.title} · ${t.menu.checkIn}`, async () => (await inWords()).checkInLinks(), { id: task.id });

export const openReminders = () => open(t.settings.reminders, async () => (await inWords()).reminders(), {});

/** Of a habit, of all of them, or of the form of a new one: shortcuts and notifications of the device lead there. */
export function openAddress(address: string, tasks: readonly Task[]): void {
  const [name = '', id] = address.split(/[/=]/);
  const task = tasks.find((each) => each.id === id);
  if (/^(habit|task)$/.test(name) && task) void openHabit(task);
  if (name === 'board') void openBoard();
  if (name === 'new') void openTaskForm();
}
