const FOCUSABLE = 'button, input, summary';

/** Where those without a mouse were, outside of a dialog, and where they may go from there: the nearest first. */
let places: (Element | null | undefined)[] = [];
let isLost = false;

function rememberPlace(focused: Element): void {
  const latest = focused.closest('.toast') && document.querySelector('[data-latest="true"]');
  const row = (latest ?? focused).closest('.row, .notice');
  places = [focused, row, row?.nextElementSibling, row?.previousElementSibling, focused.closest('section')];
}

const firstIn = (place: Element): HTMLElement | null =>
  place.matches(FOCUSABLE) ? (place as HTMLElement) : place.querySelector(FOCUSABLE);

/** Draws, and moves the focus to something near when the button that had it goes. */
export function keepingFocus(draw: () => void): void {
  const { body, activeElement } = document;
  const dialog = document.querySelector('dialog');
  const focused = activeElement === body ? null : activeElement;
  if (focused && !dialog) rememberPlace(focused);
  draw();
  isLost ||= focused?.isConnected === false || dialog?.isConnected === false;
  if (!isLost || document.activeElement !== body) return;
  const place = dialog?.isConnected ? dialog : places.find((each) => each?.isConnected && firstIn(each));
  const target = place ? firstIn(place) : document.querySelector('h1');
  if (!target) return; // what comes next may have one
  if (!place) target.tabIndex = -1;
  target.focus();
  isLost = false;
}
