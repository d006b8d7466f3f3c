const FOCUSABLE = 'button, input, select, summary';

/** Where those without a mouse were, outside of a dialog, and where they may go from there: the nearest first. */
let places: (Element | null | undefined)[] = [];
let isLost = false;
/** Of the row that had it, which a tap may move to another list, or of the toast, which has only this one. */
let task: string | undefined;

function rememberPlace(focused: Element): void {
  const toast = focused.closest<HTMLElement>('.toast');
  task = toast ? toast.dataset.of : (focused as HTMLElement).dataset.task;
  const row = focused.closest('.row, .notice');
  const section = focused.closest('section');
  const rows = [...(section?.querySelectorAll('.row') ?? [])];
  const at = row ? rows.indexOf(row) : -1;
  places = [focused, row, ...(at < 0 ? [] : [rows[at + 1], rows[at - 1]]), section];
}

const firstIn = (place: Element): HTMLElement | null =>
  place.matches(FOCUSABLE) ? (place as HTMLElement) : place.querySelector(FOCUSABLE);

/** Draws, and moves the focus to something near when the button that had it goes. */
export function keepingFocus(draw: () => void): void {
  const { body, activeElement } = document;
  const dialog = document.querySelector('dialog:not(.aside *)');
  const focused = activeElement === body ? null : activeElement;
  const shown = [focused, ...document.querySelectorAll('dialog')];
  if (focused && !focused.closest('dialog')) rememberPlace(focused);
  draw();
  isLost ||= shown.some((each) => each?.isConnected === false);
  if (document.activeElement !== body) isLost = false;
  if (!isLost) return;
  const moved = task ? document.querySelector(`[data-task="${task}"]`) : null;
  const near = [moved, ...places].find((each) => each?.isConnected && firstIn(each)?.checkVisibility());
  const place = dialog?.isConnected ? dialog : near || null;
  const target = place ? firstIn(place) : document.querySelector('h1');
  if (!target) return; // what comes next may have one
  if (!place) target.tabIndex = -1;
  target.focus();
  isLost = false;
}
