import { useRef } from 'preact/hooks';
import { Button } from './button.js';
import { Ring } from './icons.js';
import { t } from './language.js';
import { planOf } from './plan.js';
import { type Known, progressOf, type Standing } from './standing.js';
import { tap } from './taps.js';
import type { Streak, Task, User } from './types.js';
import { openEntry, openMenu } from './views.js';

interface RowProps {
  task: Task;
  standing: Standing;
  day: string;
  user: User;
  known: Known;
  /** Whether it was tapped just now. */
  isLatest: boolean;
}

/** A tap does it, or takes it back. Held, it asks how much. */
export function Row({ task, standing, day, user, known, isLatest }: RowProps) {
  const { status, isKept, share, words, saved } = standing;
  const { id, title, icon, colour, streak, target } = task;
  const held = useHold(() => void openEntry(task, day));
  const isShown = status !== 'saved' || isLatest;
  const isStill = status === 'open' || status === 'saved';
  const hasRun = streak.count > 0;
  const plan = isStill ? planOf(task, day, user, known) : '';
  const times = !target && saved > 1 ? t.times(saved) : '';
  return (
    <li class={`row ${colour ? `colour-${colour.toLowerCase()}` : ''}`}>
      <button
        type="button"
        class={`tap ${status}`}
        data-task={id}
        data-latest={isLatest}
        aria-pressed={isKept}
        {...held((isHeld) => isHeld || void tap(task, day))}
      >
        <Ring status={status} share={share} />
        <span class="text">
          <span class="line">
            {icon && (
              <span class="icon" aria-hidden="true">
                {icon}
              </span>
            )}
            <span class="title">{title}</span>
          </span>
          <span class="line about">
            {target && <span>{progressOf(task, standing)}</span>}
            {isShown && words ? (
              <span class={`words ${status}`}>{words}</span>
            ) : (
              times && <span>{times}</span>
            )}
            {isStill && (hasRun || plan) && (
              <span>
                {hasRun && !plan ? t.row.inARow(runOf(streak.count, streak)) : null}
                {[hasRun && plan && runOf(streak.count, streak), plan].filter(Boolean).join(' · ')}
              </span>
            )}
          </span>
        </span>
      </button>
      <Button kind="quiet more" label={t.row.more(title)} act={() => openMenu(task, day)}>
        <span aria-hidden="true">⋯</span>
      </Button>
    </li>
  );
}

/** `3 weeks` */
export const runOf = (count: number, { unit }: Streak): string => t.runs[unit](count);

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
  return (click: (isHeld: boolean) => void) => ({
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
    onClick: ({ detail }: MouseEvent) => {
      click(isHeld.current && detail > 0);
      isHeld.current = false;
    },
  });
}
