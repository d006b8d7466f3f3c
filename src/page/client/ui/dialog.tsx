import { useLayoutEffect, useRef } from 'preact/hooks';
import { NoticeText } from '../shell/notices.js';
import { get, type Dialog as Shown, type State, set, showNotice } from '../sync/store.js';
import type { Screen, Task } from '../sync/types.js';
import { Button } from './button.js';
import { colourOf, Sign } from './icons.js';
import { t } from './language.js';

export const desk = matchMedia('(min-width: 60rem)');

const note = (act: 'pushState' | 'replaceState', address = '') =>
  history[act]({ isDialog: true }, '', location.pathname + location.search + (address && `#${address}`));

let turn = 0;

/** For what is opened as soon as it is loaded: whether nothing else was wanted since, which may be in use by then. */
export function takeTurn(): () => boolean {
  turn += 1;
  const own = turn;
  return () => own === turn;
}

/** With an address of its own, it is found again by it, and Back closes it. A desk has room for a habit beside the list. */
export function open(title: string, view: Shown['view'], address = ''): void {
  const shown = { title, view, address };
  turn += 1;
  const isBeside = desk.matches && address.startsWith('habit');
  if (isBeside) hide();
  set({ ...(isBeside ? { beside: shown, dialog: null } : { dialog: shown }), dialogNotice: null });
  note(history.state?.isDialog ? 'replaceState' : 'pushState', address || get().beside?.address);
  isLeft = false;
}

/** Whether the place in the history is left over from a dialog that was closed otherwise. */
let isLeft = false;

function closed(shown: Shown | null): void {
  const { dialog, beside } = get();
  if (!shown || (shown !== dialog && shown !== beside)) return;
  set({ ...(dialog ? { dialog: null } : { beside: null }), dialogNotice: null });
  if (!history.state?.isDialog) return;
  const rest = get().beside;
  isLeft = !rest;
  note('replaceState', rest?.address);
}

/** What the keys Back and Forward do. */
export function followHistory(openAddress: (address: string) => void): void {
  addEventListener('popstate', () => {
    const address = location.hash.slice(1);
    if (address) return openAddress(address);
    const { dialog, beside } = get();
    if (dialog) putAway();
    if (beside) putAway();
    if (isLeft && !dialog && !beside) history.back();
    isLeft = false;
  });
}

const hide = () => [...document.querySelectorAll<HTMLDialogElement>('dialog[open]')].at(-1)?.close();

/** The person closes what is on top, and the browser gives the focus back to where it was. */
export function putAway(): void {
  const { dialog, beside } = get();
  hide();
  closed(dialog ?? beside);
}

/** Something that was done in it closes it, and its notice is read on the page. */
export function closeDialog(): void {
  const { dialog, dialogNotice } = get();
  if (!dialog) return;
  putAway();
  if (dialogNotice) showNotice(dialogNotice);
}

/** Does it and closes the dialog in which it is done, unless another one is open by then. */
export async function thenClose<Done>(act: () => Promise<Done>): Promise<Done> {
  const { dialog } = get();
  const done = await act();
  if (get().dialog === dialog) closeDialog();
  return done;
}

/** The habit whose own view it is. */
export const habitOf = ({ address }: Shown, screen: Screen | null): Task | undefined =>
  screen?.tasks.find(({ id }) => address === `habit/${id}`);

export function Dialog({ dialog, state }: { dialog: Shown; state: State }) {
  const { title, view: View } = dialog;
  const task = habitOf(dialog, state.screen);
  const name = task?.title ?? title;
  const element = useRef<HTMLDialogElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another one may be opened as soon as one is closed
  useLayoutEffect(() => {
    if (!element.current?.open) element.current?.[dialog === state.beside ? 'show' : 'showModal']();
  }, [dialog]);
  // The Escape key closes it without the page. The event comes late: another one may be open by then.
  const close = () => !element.current?.open && closed(dialog);
  return (
    <dialog ref={element} aria-label={name} class={task && colourOf(task)} onClose={close}>
      <div class="dialog-head">
        {task?.icon && (
          <span aria-hidden="true" class="icon">
            {task.icon}
          </span>
        )}
        <h2 dir="auto">{name}</h2>
        <Button kind="sign-button" label={t.common.close} act={putAway}>
          <Sign of="close" />
        </Button>
      </div>
      {(state.dialog ?? state.beside) === dialog && <NoticeText of="dialogNotice" state={state} />}
      <View key={title} state={state} />
    </dialog>
  );
}
