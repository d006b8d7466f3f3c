import { type ComponentType, h } from 'preact';
import type { State } from '../sync/store.js';
import type { Task } from '../sync/types.js';
import { t } from '../ui/language.js';
import { openLater } from './later.js';

/** Each is loaded when it is opened. */
type View<Props> = () => Promise<ComponentType<Props & { state: State }>>;

interface Views {
  menu: View<{ id: string; day: string }>;
  entry: View<{ id: string; day: string }>;
  habit: View<{ id: string }>;
  taskForm: View<{ task: Task | null; templateId: string | null }>;
  arrangement: View<object>;
  board: View<object>;
  settings: View<object>;
  account: View<object>;
  keys: View<object>;
  habitReminders: View<{ id: string }>;
  checkInLinks: View<{ id: string }>;
  reminders: View<object>;
}

let views: Views;

/** They open each other, so they are named in one place that none of them imports. */
export const offerViews = (all: Views): void => {
  views = all;
};

function open<Props extends object>(
  title: string,
  load: View<Props>,
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
export const openMenu = (task: Task, day: string) => open(task.title, views.menu, { id: task.id, day });

/** How much was done, and notes. */
export const openEntry = (task: Task, day: string) => open(task.title, views.entry, { id: task.id, day });

/** The habit's own view. */
export const openHabit = (task: Task) => open(task.title, views.habit, { id: task.id }, `habit/${task.id}`);

/** A new habit, perhaps for a challenge, or one to change. */
export const openTaskForm = (task: Task | null = null, templateId: string | null = null) =>
  open(task ? t.form.editHabit : t.list.newHabit, views.taskForm, { task, templateId });

export const openArrangement = () => open(t.list.arrange, views.arrangement, {});

export const openBoard = () => open(t.board.title, views.board, {}, 'board');

export const openSettings = () => open(t.settings.title, views.settings, {});

export const openAccount = () => open(t.account.title, views.account, {});

export const openKeys = () => open(t.keys.title, views.keys, {});

/** When a habit rings. */
export const openHabitReminders = (task: Task) =>
  open(`${task.title} · ${t.menu.remind}`, views.habitReminders, { id: task.id });

export const openCheckInLinks = (task: Task) =>
  open(`${task.title} · ${t.menu.checkIn}`, views.checkInLinks, { id: task.id });

export const openReminders = () => open(t.settings.reminders, views.reminders, {});

/** Of a habit, of all of them, or of the form of a new one: shortcuts and notifications of the device lead there. */
export function openAddress(address: string, tasks: readonly Task[]): void {
  const [name = '', id] = address.split(/[/=]/);
  const task = tasks.find((each) => each.id === id);
  if (/^(habit|task)$/.test(name) && task) void openHabit(task);
  if (name === 'board') void openBoard();
  if (name === 'new') void openTaskForm();
}
