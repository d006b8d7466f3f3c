import { options } from 'preact';
import { type Dialog, get, onChange, set } from '../sync/store.js';

// The list holds still under the hand: what is done goes to its place when no tap has come for a while.

const AWAY_MS = 1_500;
const SAME_SPOT_MS = 350;
const SAME_SPOT_PX = 24;
const AIMED_BEFORE_MS = 500;

/** A browser may bring the click of a finger only some time after its up. */
const CLICK_MS = 300;

/** What is pressed; a handle is drawn while it is dragged. */
const PRESSED = '.today, .strip, :is(button, summary, label, a):not(.handle)';

/** After so long a drawing is painted: read earlier, the places would be found before that. */
const PAINTED_MS = 100;

let drawnGroups: ReadonlyMap<string, string> = new Map();

/** Where each habit that can be seen is. */
interface Places {
  of: ReadonlyMap<string | undefined, DOMRect>;
  scrolled: number;
}

const NO_PLACES: Places = { of: new Map(), scrolled: 0 };

interface Drawing {
  at: number;
  /** Where all were before. */
  from: Places;
}

/** The last drawing that moved a habit. */
let moved: Drawing = { at: 0, from: NO_PLACES };

/** The last drawing, until it is read whether it moved any: read at once, the browser would lay out once more. */
let unread: Drawing | undefined;

/** Where all were painted, as long as nothing but a drawing can have moved them since. */
let painted: Places | undefined;

/** The list says where it has put each habit. */
export const noteGroups = (groups: ReadonlyMap<string, string>): void => {
  drawnGroups = groups;
};

let timer: ReturnType<typeof setTimeout> | undefined;
let isDown = false;
let dialogAtDown: Dialog | null = null;

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
  afterDrawing = (from) => {
    for (const row of rows()) row.style.removeProperty('--held');
    glide(from, read());
  };
}

let afterDrawing: ((from: Places) => void) | undefined;

/** What was to be drawn meanwhile: all, and parts that change by themselves. */
let waiting: (() => void) | undefined;
let waitingParts: (() => void) | undefined;

/** Nothing is drawn between a finger's down and its click, which must find what was pressed, save what it opens. */
const isHeld = (): boolean => isDown && get().dialog === dialogAtDown;

export function drawWhenFree(draw: () => void): void {
  if (isHeld()) {
    waiting = draw;
    return;
  }
  waiting = undefined;
  if (!unread) setTimeout(read, PAINTED_MS);
  const from = unread?.from ?? painted ?? places();
  drawParts();
  draw();
  unread = { at: performance.now(), from };
  if (afterDrawing) afterDrawing(from);
  else if (isGliding()) read();
  afterDrawing = undefined;
}

function drawParts(): void {
  const draw = waitingParts;
  waitingParts = undefined;
  draw?.();
}

/** Where all are now, and so whether the last drawing has moved any. */
function read(): Places {
  if (!unread && painted) return painted;
  const now = places();
  if (unread && isMove(unread.from, now)) moved = unread;
  unread = undefined;
  painted = isGliding() ? undefined : now;
  return now;
}

let lifting: ReturnType<typeof setTimeout> | undefined;

function up({ type, pointerType }: Event & { pointerType?: string }): void {
  clearTimeout(lifting);
  if (type === 'pointerup' && pointerType !== 'mouse') lifting = setTimeout(lift, CLICK_MS);
  else lift();
}

function lift(): void {
  clearTimeout(lifting);
  isDown = false;
  setTimeout(() => {
    if (isHeld()) return; // by the next finger
    if (waiting) drawWhenFree(waiting);
    else drawParts();
  });
}

interface Spot {
  x: number;
  y: number;
  at: number;
  /** The id of a habit, or another button. */
  on: unknown;
}

let latest: Spot = { x: 0, y: 0, at: -SAME_SPOT_MS, on: null };
let before = latest;

const isDouble = (): boolean =>
  Math.hypot(latest.x - before.x, latest.y - before.y) < SAME_SPOT_PX && latest.at - before.at < SAME_SPOT_MS;

const isHabit = (on: unknown) => typeof on === 'string';

/**
 * A second tap on the spot of the first is no other tap: it hits what has moved there, or takes back what was done. A
 * finger may also have been aimed at the habit that was there until just now.
 */
export function isBounce(
  { clientY: y, timeStamp: at, detail, pointerType }: MouseEvent & { pointerType?: string },
  task: string,
  isUndo: boolean,
): boolean {
  read();
  if (detail === 0) return false; // by a key
  const wasOther = ([id, { top, bottom }]: [string | undefined, DOMRect]) =>
    id !== task && top <= y && y < bottom;
  if (pointerType !== 'mouse' && at - moved.at < AIMED_BEFORE_MS && [...moved.from.of].some(wasOther))
    return true;
  return isDouble() && isHabit(before.on) && (isUndo || before.on !== task);
}

/**
 * A second tap does not press what has come up on the spot of the first either: a button, or a habit below a button
 * that is gone. A mouse is aimed at what is seen.
 */
function refuseComeUp(event: MouseEvent & { pointerType?: string }): void {
  const { clientX: x, clientY: y, timeStamp: at, detail, target } = event;
  const button = target instanceof Element && target.closest('button');
  const on = button && (button.dataset.task ?? button);
  before = latest;
  latest = { x, y, at, on };
  if (detail === 0 || event.pointerType === 'mouse') return; // 0: by a key
  const isOfList = isHabit(on) && (!before.on || isHabit(before.on)); // `isBounce` knows more
  if (!on || on === before.on || isOfList || !isDouble()) return;
  latest.on = before.on;
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** By the person, and decides what is in the list. */
const CHOSEN = ['day', 'search', 'tag', 'session'] as const;

export function watchFingers(): void {
  const down = ({ target, button, ctrlKey }: PointerEvent) => {
    // Another button opens a menu of the browser's, which takes the up.
    isDown = button === 0 && !ctrlKey && target instanceof Element && !!target.closest(PRESSED);
    dialogAtDown = get().dialog;
    clearTimeout(lifting);
    if (isDown) read();
  };
  options.debounceRendering = (draw) =>
    queueMicrotask(() => {
      if (isHeld()) waitingParts = draw;
      else draw();
    });
  addEventListener('pointerdown', down, true);
  addEventListener('click', lift, true);
  addEventListener('click', refuseComeUp, true);
  for (const end of ['pointerup', 'pointercancel'] as const) addEventListener(end, up, true);
  addEventListener('blur', up); // of the window alone: what had the focus loses it while the finger is down
  const forget = () => {
    painted = undefined;
  };
  for (const other of ['scroll', 'resize', 'toggle'] as const) addEventListener(other, forget, true);
  addEventListener('scrollend', read, true); // before the next finger comes
  let known = get();
  onChange(() => {
    const now = get();
    const isOther = CHOSEN.some((name) => now[name] !== known[name]);
    known = now;
    if (!isOther) return;
    moved.from = NO_PLACES; // the person chose to see something else
    if (unread) unread.from = NO_PLACES;
    if (now.held) set({ held: null });
  });
}

/** A row of a folded section has no place. */
const rows = () =>
  document.querySelectorAll<HTMLElement>('.today > .tasks > .row, .today > [open] > .tasks > .row');

const places = (): Places => ({
  of: new Map([...rows()].map((row) => [row.dataset.row, row.getBoundingClientRect()])),
  scrolled: scrollY,
});

/** How far each was moved that was there before, in pixels. */
const shifts = (from: Places, now: Places): number[] =>
  [...now.of].map(([id, { top }]) => (from.of.get(id)?.top ?? top) - top);

/** Scrolling alone moves nothing in the list. */
function isMove(from: Places, now: Places): boolean {
  const scrolled = now.scrolled - from.scrolled;
  return shifts(from, now).some((by) => Math.min(Math.abs(by), Math.abs(by - scrolled)) >= 1);
}

let gliding: Animation | undefined;

const isGliding = () => gliding?.playState === 'running';

/** From where they were to where they are now. */
function glide(from: Places, now: Places): void {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  const all = shifts(from, now);
  const farthest = Math.max(...all.map(Math.abs));
  for (const [index, row] of rows().entries()) {
    const by = all[index];
    if (!by || Math.abs(by) >= 2 * innerHeight) continue;
    const going = row.animate([{ translate: `0 ${by}px` }, { translate: '0 0' }], {
      duration: 350,
      easing: 'ease-out',
    });
    gliding = going;
    // It crosses the others, above them.
    row.toggleAttribute('data-lifted', Math.abs(by) === farthest);
    going.onfinish = () => row.removeAttribute('data-lifted');
  }
  if (isGliding()) painted = undefined;
}
