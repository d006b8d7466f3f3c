import { open } from './dialog.js';
import { Checkbox } from './form.js';
import { areShortcutsOn, keepShortcuts } from './session.js';
import { get } from './store.js';
import { undo } from './taps.js';
import { openTaskForm } from './task-form.js';

const rows = () => [...document.querySelectorAll<HTMLElement>('.tap')];

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

/** Of the habit in focus, or of the latest tap. */
function undoCurrent(): void {
  const { screen, toast } = get();
  const id = toast ?? currentRow()?.dataset.task;
  const task = screen?.tasks.find((each) => each.id === id);
  if (task) void undo(task);
}

const actions: Record<string, () => void> = {
  j: () => move(1),
  k: () => move(-1),
  ArrowDown: () => move(1),
  ArrowUp: () => move(-1),
  u: undoCurrent,
  n: () => openTaskForm(),
  '?': () => openKeys(),
};

const isTyping = (target: EventTarget | null) =>
  target instanceof Element && target.closest('input, textarea') !== null;

export function listenToKeys(): void {
  document.addEventListener('keydown', (event) => {
    const { key, target, ctrlKey, metaKey, altKey, defaultPrevented } = event;
    const { dialog, session, screen } = get();
    const isForOthers = ctrlKey || metaKey || altKey || defaultPrevented || isTyping(target);
    if (isForOthers || dialog || !session?.token || !screen) return;
    const act = actions[key];
    const isArrow = key.startsWith('Arrow');
    if (!act || !(isArrow ? currentRow() : areShortcutsOn())) return; // without a row, an arrow scrolls
    event.preventDefault();
    act();
  });
}

const KEYS = [
  ['j or ↓', 'next habit'],
  ['k or ↑', 'habit before'],
  ['Space', 'do the habit'],
  ['u', 'undo'],
  ['n', 'new habit'],
  ['?', 'this list'],
];

const Keys = () => (
  <>
    <dl class="keys">
      {KEYS.map(([key, meaning]) => (
        <div key={key}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
    <p>In the year, arrow keys go from day to day.</p>
    <Checkbox
      name="shortcuts"
      label="Use single-key shortcuts"
      checked={areShortcutsOn()}
      onChange={keepShortcuts}
    />
  </>
);

export const openKeys = (): void => open('Shortcuts', Keys);
