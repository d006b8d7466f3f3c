import type { Child } from './draw.js';
import { set } from './store.js';

/** The browser gives the focus back to where it was. */
export const closeDialog = (): void => document.querySelector<HTMLDialogElement>('dialog[open]')?.close();

export const Cancel = () => (
  <button type="button" class="quiet" onClick={closeDialog}>
    Cancel
  </button>
);

export const Dialog = ({ title, children }: { title: string; children?: Child }) => (
  <dialog
    aria-labelledby="dialog-title"
    ref={(dialog: HTMLDialogElement) => dialog.showModal()}
    onClose={() => set({ dialog: null, form: null })}
  >
    <div class="dialog-head">
      <h2 id="dialog-title">{title}</h2>
      <button type="button" class="quiet" onClick={closeDialog}>
        Close
      </button>
    </div>
    {children}
  </dialog>
);
