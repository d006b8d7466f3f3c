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
  set({ dialog: { title, view } });
}

/** Whether the place in the history is left over from a dialog that was closed otherwise. */
let isLeft = false;

function closed(): void {
  set({ dialog: null });
  isLeft = Boolean(history.state?.isDialog);
  if (isLeft) history.replaceState({ isDialog: true }, '', location.pathname + location.search);
}

/** What the keys Back and Forward do. */
export function followHistory(openAddress: (address: string) => void): void {
  addEventListener('popstate', () => {
    const address = location.hash.slice(1);
    if (address) return openAddress(address);
    if (get().dialog) return closeDialog();
    if (isLeft) history.back();
    isLeft = false;
  });
}

/** The browser gives the focus back to where it was. */
export const closeDialog = (): void => document.querySelector<HTMLDialogElement>('dialog[open]')?.close();

export function Dialog({ dialog: { title, view: View }, state }: { dialog: Shown; state: State }) {
  const element = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => element.current?.showModal(), []);
  return (
    <dialog ref={element} aria-labelledby="dialog-title" onClose={closed}>
      <div class="dialog-head">
        <h2 id="dialog-title">{title}</h2>
        <Button kind="sign-button" label={t.common.close} act={closeDialog}>
          <Sign of="close" />
        </Button>
      </div>
      <NoticeText notice={state.notice} />
      <View key={title} state={state} />
    </dialog>
  );
}
