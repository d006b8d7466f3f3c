import { get, set, shownDay } from '../sync/store.js';
import { undo } from '../sync/taps.js';
import type { Task } from '../sync/types.js';
import { putAway } from '../ui/dialog.js';
import { areShortcutsOn } from './session.js';
import { openEntry, openHabit, openKeys, openTaskForm } from './views.js';

const rows = () => [...document.querySelectorAll<HTMLElement>('.tap')].filter((row) => row.checkVisibility());

/** The one that has the focus, or a button of its row. */
const currentRow = () =>
  document.activeElement?.closest('.row')?.querySelector<HTMLElement>('.tap') ?? undefined;

function move(by: 1 | -1): void {
  const all = rows();
  const current = currentRow();
  const at = current ? all.indexOf(current) + by : by === 1 ? 0 : all.length - 1;
  const next = all[Math.max(0, Math.min(all.length - 1, at))];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

/** With the habit in focus, and the day that is shown. */
function onCurrent(act: (task: Task, day: string) => unknown): void {
  const { screen } = get();
  const task = screen?.tasks.find(({ id }) => id === currentRow()?.dataset.task);
  if (screen && task) void act(task, shownDay(get(), screen));
}

/** The latest tap, or that on the habit in focus. */
function undoLatest(): void {
  const { screen, toast } = get();
  const task = screen?.tasks.find(({ id }) => id === toast?.taskId);
  if (task && toast) void undo(task, toast.day);
  else onCurrent(undo);
}

const actions: Record<string, () => void> = {
  j: () => move(1),
  k: () => move(-1),
  ArrowDown: () => move(1),
  ArrowUp: () => move(-1),
  a: () => onCurrent(openEntry),
  o: () => onCurrent(openHabit),
  u: undoLatest,
  n: () => void openTaskForm(),
  '/': () => set({ search: '' }),
  '?': () => void openKeys(),
};

const isTyping = (target: EventTarget | null) =>
  target instanceof Element && target.closest('input, textarea, select') !== null;

export function listenToKeys(): void {
  document.addEventListener('keydown', (event) => {
    const { key, target, ctrlKey, metaKey, altKey, defaultPrevented } = event;
    const { dialog, beside, session, screen } = get();
    const isForOthers = ctrlKey || metaKey || altKey || defaultPrevented || isTyping(target);
    if (isForOthers || dialog || !session?.token || !screen) return;
    if (key === 'Escape' && beside) return putAway();
    const act = actions[key];
    const isArrow = key.startsWith('Arrow');
    if (!act || !(isArrow ? currentRow() : areShortcutsOn())) return; // without a row, an arrow scrolls
    event.preventDefault();
    act();
  });
}
