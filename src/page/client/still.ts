import { get, onChange, set } from './store.js';

// The list holds still under the hand: what is done goes to its place when no tap has come for a while.

const AWAY_MS = 1_500;
const SAME_SPOT_MS = 350;
const SAME_SPOT_PX = 24;
const AIMED_BEFORE_MS = 500;

let drawnGroups: ReadonlyMap<string, string> = new Map();

/** Where all were before a drawing last moved any. */
let moved = { at: 0, from: new Map<string | undefined, DOMRect>() };

/** The list says where it has put each habit. */
export const noteGroups = (groups: ReadonlyMap<string, string>): void => {
  drawnGroups = groups;
};

let timer: ReturnType<typeof setTimeout> | undefined;
let isDown = false;

/** From a tap on. */
export function holdStill(): void {
  if (!get().held) set({ held: { groups: drawnGroups, state: get() } });
  later();
}

function later(): void {
  clearTimeout(timer);
  timer = setTimeout(letGo, AWAY_MS);
}

function letGo(): void {
  if (isDown) later();
  if (isDown || !get().held) return;
  set({ held: null });
  afterDrawing = (before) => {
    for (const row of rows()) row.style.removeProperty('--held');
    glide(before);
  };
}

let afterDrawing: typeof glide | undefined;

/** Nothing is drawn between a finger's down and up, save what it opens. */
let waiting: (() => void) | undefined;

export function drawWhenFree(draw: () => void): void {
  if (isDown && !get().dialog) {
    waiting = draw;
    return;
  }
  const from = places();
  draw();
  if (rows().some((row) => shiftOf(row, from))) moved = { at: performance.now(), from };
  afterDrawing?.(from);
  afterDrawing = undefined;
}

function up(): void {
  isDown = false;
  // The click comes after this event, and must find what was pressed.
  setTimeout(() => {
    const draw = waiting;
    waiting = undefined;
    if (draw) drawWhenFree(draw);
  });
}

interface Spot {
  x: number;
  y: number;
  at: number;
  /** A habit, or a button. */
  on: unknown;
}

const NOWHERE: Spot = { x: 0, y: 0, at: -SAME_SPOT_MS, on: null };

let latest = NOWHERE;

const isDouble = (spot: Spot, before: Spot): boolean =>
  Math.hypot(spot.x - before.x, spot.y - before.y) < SAME_SPOT_PX && spot.at - before.at < SAME_SPOT_MS;

/**
 * A second tap on the spot of the first is no other tap: it hits what has moved there, or takes back what was done. A
 * finger may also have been aimed at the habit that was there until just now.
 */
export function isBounce(
  { clientX: x, clientY: y, timeStamp: at, detail, pointerType }: MouseEvent & { pointerType?: string },
  task: string,
  isUndo: boolean,
): boolean {
  const before = latest;
  latest = { x, y, at, on: task };
  if (detail === 0) return false; // by a key
  const wasOther = ([id, { top, bottom }]: [string | undefined, DOMRect]) =>
    id !== task && top <= y && y < bottom;
  if (pointerType !== 'mouse' && at - moved.at < AIMED_BEFORE_MS && [...moved.from].some(wasOther))
    return true;
  return isDouble(latest, before) && (isUndo || before.on !== task);
}

let pressed = NOWHERE;

/** Nor does it press a button that has come up there meanwhile. */
function refuseComeUp(event: MouseEvent): void {
  const { clientX: x, clientY: y, timeStamp: at, detail, target } = event;
  if (detail === 0) return; // by a key
  const on = target instanceof Element && target.closest('button');
  const before = pressed;
  pressed = { x, y, at, on };
  if (!on || on === before.on || on.matches('.tap') || !isDouble(pressed, before)) return;
  pressed.on = before.on;
  event.preventDefault();
  event.stopImmediatePropagation();
}

export function watchFingers(): void {
  const down = ({ target }: PointerEvent) => {
    isDown = target instanceof Element && target.closest('.today, .strip') !== null;
  };
  addEventListener('pointerdown', down, true);
  addEventListener('click', refuseComeUp, true);
  for (const end of ['pointerup', 'pointercancel', 'blur'] as const) addEventListener(end, up, true);
  let { day, search, tag, session } = get();
  onChange(() => {
    const now = get();
    const isOther = now.day !== day || now.search !== search || now.tag !== tag || now.session !== session;
    ({ day, search, tag, session } = now);
    if (!isOther) return;
    moved.from.clear(); // the person chose to see something else
    if (now.held) set({ held: null });
  });
}

const rows = () =>
  [...document.querySelectorAll<HTMLElement>('.today .row')].filter((row) => row.checkVisibility());

const places = () => new Map(rows().map((row) => [row.dataset.row, row.getBoundingClientRect()]));

const shiftOf = (row: HTMLElement, from: ReturnType<typeof places>): number =>
  (from.get(row.dataset.row)?.top ?? Number.NaN) - row.getBoundingClientRect().top;

/** From where they were to where they are now. */
function glide(before: ReturnType<typeof places>): void {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  for (const row of rows()) {
    const by = shiftOf(row, before);
    if (by && Math.abs(by) < 2 * innerHeight)
      row.animate([{ translate: `0 ${by}px` }, { translate: '0 0' }], { duration: 350, easing: 'ease-out' });
  }
}
