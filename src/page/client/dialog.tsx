import type { Child } from './draw.js';
import { Form } from './form.js';
import { get, type Dialog as Shown, type State, set } from './store.js';

export const open = (title: string, content: Shown['content']): void =>
  set({ dialog: { title, content }, form: null });

/** The browser gives the focus back to where it was. */
export const closeDialog = (): void => document.querySelector<HTMLDialogElement>('dialog[open]')?.close();

/** Asks before it does something. What is done may open another dialog. */
export const sure = (question: string, yes: string, act: () => Promise<unknown>): void =>
  open(question, (): Child => {
    const { dialog } = get();
    const doIt = () => act().then(() => get().dialog === dialog && closeDialog());
    return <Form name="sure" action={doIt} submit={yes} />;
  });

export const Dialog = ({ dialog, state }: { dialog: Shown; state: State }) => (
  <dialog
    aria-labelledby="dialog-title"
    ref={(dialog: HTMLDialogElement) => dialog.showModal()}
    onClose={() => set({ dialog: null, form: null, newToken: '' })}
  >
    <div class="dialog-head">
      <h2 id="dialog-title">{dialog.title}</h2>
      <button type="button" class="quiet" onClick={closeDialog}>
        Close
      </button>
    </div>
    <div key={dialog.title}>{dialog.content(state)}</div>
  </dialog>
);
