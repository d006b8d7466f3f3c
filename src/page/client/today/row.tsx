import { useRef } from 'preact/hooks';
import { openEntry, openMenu } from '../shell/views.js';
import { isEnough } from '../sync/taps.js';
import type { Streak } from '../sync/types.js';
import { Button } from '../ui/button.js';
import { colourOf, Flame, Ring } from '../ui/icons.js';
import { t } from '../ui/language.js';
import type { Item } from './items.js';
import { press } from './press.js';
import { overOf, progressOf } from './standing.js';
import { isBounce } from './still.js';
import { allowsNone, isLimit } from './target.js';

interface RowProps {
  item: Item;
  day: string;
}

/** A tap does it, takes it back, or adds to its target. Held, it asks how much. */
export function Row({ item, day }: RowProps) {
  const { task, standing, run } = item;
  const { status, isKept, isOver, share, words } = standing;
  const reached = isKept && status === 'open' ? 'saved' : status; // on other days of the week
  const { id, title, icon, streak } = task;
  const held = useHold(() => void openEntry(task, day));
  const click = (event: MouseEvent) => {
    if (isBounce(event, id, isEnough(task, day))) return;
    pin(event.currentTarget as HTMLElement);
    press(task, day);
  };
  return (
    <li class={`row ${colourOf(task)}`} data-row={id}>
      <button
        type="button"
        class={`tap ${status}`}
        data-task={id}
        aria-pressed={task.target ? undefined : isKept}
        {...held(click)}
      >
        <Ring
          status={isOver ? 'over' : reached}
          share={share}
          icon={icon ?? /\p{L}/u.exec(title)?.[0]}
          isLimit={isLimit(task)}
        />
        <span class="text">
          <span class="title" dir="auto">
            {title}
          </span>
          <About {...item} />
          {status === 'saved' && <span class="hidden">{words}</span>}
        </span>
        {run !== null && run > 0 && !allowsNone(task) && <Run count={run} streak={streak} />}
      </button>
      <Button kind="quiet more" label={t.row.more(title)} act={() => openMenu(task, day)}>
        <span aria-hidden="true">⋯</span>
      </Button>
    </li>
  );
}

/** How far it is, and what became of a tap or how it is planned. */
function About({ task, standing, plan, dots }: Item) {
  const { status, word, saved, isOver } = standing;
  const isStill = status === 'open' || status === 'saved';
  const times = !task.target && saved > 1 && t.times(saved);
  return (
    <span class="line about">
      {task.target && <span dir="auto">{progressOf(task, standing)}</span>}
      {isOver && <span class="words refused">{overOf(task, standing)}</span>}
      {!isStill && <span class={`words ${status}`}>{word}</span>}
      {isStill && times && <span>{times}</span>}
      {isStill && plan && (
        <span>
          {dots && <span class="dots" data-dots={dots} />}
          {plan}
        </span>
      )}
    </span>
  );
}

const Run = ({ count, streak }: { count: number; streak: Streak }) => (
  <span class="run">
    <Flame />
    <span aria-hidden="true">{t.number(count)}</span>
    <span class="hidden">{t.row.inARow(runOf(count, streak))}</span>
  </span>
);

/** `3 weeks` */
export const runOf = (count: number, { unit }: Streak): string => t.runs[unit](count);

/** What it says meanwhile may need another line: those below stay where they are all the same. */
function pin(button: HTMLElement): void {
  const row = button.closest<HTMLElement>('.row');
  if (row) row.style.setProperty('--held', `${row.getBoundingClientRect().height}px`);
}

/** In milliseconds. */
const HOLD = 500;

/** Tells a tap from one that is held, by finger, mouse or the key for menus. */
function useHold(act: () => void) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isHeld = useRef(false);
  const hold = () => {
    isHeld.current = true;
    act();
  };
  const leave = () => clearTimeout(timer.current);
  return (press: (event: MouseEvent) => void) => ({
    onPointerDown: ({ button }: PointerEvent) => {
      isHeld.current = false;
      leave();
      if (button === 0) timer.current = setTimeout(hold, HOLD);
    },
    onPointerUp: leave,
    onPointerLeave: leave,
    onPointerCancel: leave,
    onContextMenu: (event: Event) => {
      event.preventDefault();
      leave();
      if (!isHeld.current) act();
    },
    onClick: (event: MouseEvent) => {
      if (!(isHeld.current && event.detail > 0)) press(event);
      isHeld.current = false;
    },
  });
}
