import { useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from './button.js';
import { Sign } from './icons.js';
import { t } from './language.js';
import { NoticeText } from './notices.js';
import { get, type Dialog as Shown, type State, set } from './store.js';

/** With an address of its own, it is found again by it; the Back key of a phone closes it. */
export function open(title: string, view: Shown['view'], address = ''): void {
  const url = location.pathname + location.search + (address && `#${address}`);
  if (history.state?.isDialog) history.replaceState({ isDialog: true }, '', url);
  else history.pushState({ isDialog: true }, '', url);
  isLeft = false;
  set({ dialog: { title, view }, dialogNotice: null });
}

/** Whether the place in the history is left over from a dialog that was closed otherwise. */
let isLeft = false;

function closed(): void {
  if (!get().dialog) return;
  set({ dialog: null, dialogNotice: null });
  isLeft = Boolean(history.state?.isDialog);
  if (isLeft) history.replaceState({ isDialog: true }, '', location.pathname + location.search);
}

/** What the keys Back and Forward do. */
export function followHistory(openAddress: (address: string) => void): void {
  addEventListener('popstate', () => {
    const address = location.hash.slice(1);
    if (address) return openAddress(address);
    if (get().dialog) return putAway();
    if (isLeft) history.back();
    isLeft = false;
  });
}

/** The person closes it, and the browser gives the focus back to where it was. */
function putAway(): void {
  document.querySelector<HTMLDialogElement>('dialog[open]')?.close();
  closed();
}

/** Something that was done in it closes it, and its notice is read on the page. */
export function closeDialog(): void {
  const { dialogNotice } = get();
  putAway();
  if (dialogNotice) set({ notice: dialogNotice });
}

export function Dialog({ dialog, state }: { dialog: Shown; state: State }) {
  const { title, view: View } = dialog;
  const element = useRef<HTMLDialogElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another one may be opened as soon as one is closed
  useLayoutEffect(() => {
    if (!element.current?.open) element.current?.showModal();
  }, [dialog]);
  // The Escape key closes it without the page. The event comes late: another one may be open by then.
  const close = () => !element.current?.open && get().dialog === dialog && closed();
  return (
    <dialog ref={element} aria-labelledby="dialog-title" onClose={close}>
      <div class="dialog-head">
        <h2 id="dialog-title">{title}</h2>
        <Button kind="sign-button" label={t.common.close} act={putAway}>
          <Sign of="close" />
        </Button>
      </div>
      <NoticeText of="dialogNotice" state={state} />
      <View key={title} state={state} />
    </dialog>
  );
}
