import { get, onChange, set } from './store.js';

// The list holds still under the hand: what is done goes to its place when no tap has come for a while.

const AWAY_MS = 1_500;
const SAME_SPOT_MS = 350;
const SAME_SPOT_PX = 24;
const AIMED_BEFORE_MS = 500;

let drawnGroups: ReadonlyMap<string, string> = new Map();
let drawn = '';

/** Where all were before the list was last moved. */
let moved = { at: Number.NEGATIVE_INFINITY, from: new Map<string | undefined, DOMRect>() };

/** The list says where it puts each habit of a day, before it does. */
export function noteGroups(groups: ReadonlyMap<string, string>, day: string): void {
  drawnGroups = groups;
  const drawing = `${day}${[...groups]}`;
  if (drawn.startsWith(day) && drawing !== drawn) moved = { at: performance.now(), from: places() };
  drawn = drawing;
}

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
  clearTimeout(timer);
  if (isDown) {
    later();
    return;
  }
  if (!get().held) return;
  const before = places();
  set({ held: null });
  afterDrawing = () => {
    for (const row of rows()) row.style.removeProperty('--held');
    glide(before);
  };
}

let afterDrawing: (() => void) | undefined;

/** Nothing is drawn between a finger's down and up, save what it opens. */
const waiting = new Set<() => void>();

export function drawWhenFree(draw: () => void): void {
  if (isDown && !get().dialog) return void waiting.add(draw);
  draw();
  afterDrawing?.();
  afterDrawing = undefined;
}

function up(): void {
  isDown = false;
  // The click comes after this event, and must find what was pressed.
  setTimeout(() => {
    const due = [...waiting];
    waiting.clear();
    for (const draw of due) drawWhenFree(draw);
  });
}

interface Spot {
  x: number;
  y: number;
  at: number;
  task: string | undefined;
}

let latest: Spot | undefined;

/**
 * A second tap on the spot of the first is no other tap: it hits what has moved there, or takes back what was done. Nor is
 * a finger's where another habit was until just now.
 */
export function isBounce(
  { clientX: x, clientY: y, timeStamp: at, detail, pointerType }: MouseEvent & { pointerType?: string },
  task: string,
  isUndo: boolean,
): boolean {
  const before = latest;
  latest = { x, y, at, task };
  if (detail === 0) return false; // by a key
  const wasOther = ([id, { top, bottom }]: [string | undefined, DOMRect]) =>
    id !== task && top <= y && y < bottom;
  if (pointerType !== 'mouse' && at - moved.at < AIMED_BEFORE_MS && [...moved.from].some(wasOther))
    return true;
  if (!before) return false;
  const isSame = Math.hypot(x - before.x, y - before.y) < SAME_SPOT_PX && at - before.at < SAME_SPOT_MS;
  return isSame && (isUndo || before.task !== task);
}

export function watchFingers(): void {
  const down = ({ target }: PointerEvent) => {
    isDown = target instanceof Element && target.closest('.today, .strip') !== null;
  };
  addEventListener('pointerdown', down, true);
  for (const end of ['pointerup', 'pointercancel', 'blur'] as const) addEventListener(end, up, true);
  let { day, search, tag, session } = get();
  onChange(() => {
    const now = get();
    const isOther = now.day !== day || now.search !== search || now.tag !== tag || now.session !== session;
    ({ day, search, tag, session } = now);
    if (isOther && now.held) set({ held: null });
  });
}

const rows = () =>
  [...document.querySelectorAll<HTMLElement>('.today .row')].filter((row) => row.checkVisibility());

const places = () => new Map(rows().map((row) => [row.dataset.row, row.getBoundingClientRect()]));

/** From where they were to where they are now. */
function glide(before: ReturnType<typeof places>): void {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  for (const row of rows()) {
    const by = (before.get(row.dataset.row)?.top ?? Number.NaN) - row.getBoundingClientRect().top;
    if (by && Math.abs(by) < 2 * innerHeight)
      row.animate([{ translate: `0 ${by}px` }, { translate: '0 0' }], { duration: 350, easing: 'ease-out' });
  }
}
