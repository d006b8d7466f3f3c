import { useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from './button.js';
import { Form } from './form.js';
import { t } from './language.js';
import { NoticeText } from './notices.js';
import { get, type Dialog as Shown, type State, set } from './store.js';

export const open = (title: string, view: Shown['view']): void => set({ dialog: { title, view } });

/** The browser gives the focus back to where it was. */
export const closeDialog = (): void => document.querySelector<HTMLDialogElement>('dialog[open]')?.close();

/** Asks before it does something. What is done may open another dialog. */
export function sure(question: string, yes: string, act: () => Promise<unknown>, isDanger = false): void {
  const doIt = async () => {
    await act();
    if (get().dialog === asked) closeDialog();
  };
  open(question, () => <Form action={doIt} submit={yes} isDanger={isDanger} />);
  const { dialog: asked } = get();
}

export function Dialog({ dialog: { title, view: View }, state }: { dialog: Shown; state: State }) {
  const element = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => element.current?.showModal(), []);
  return (
    <dialog ref={element} aria-labelledby="dialog-title" onClose={() => set({ dialog: null })}>
      <div class="dialog-head">
        <h2 id="dialog-title">{title}</h2>
        <Button act={closeDialog}>{t.common.close}</Button>
      </div>
      <NoticeText notice={state.notice} />
      <View key={title} state={state} />
    </dialog>
  );
}
