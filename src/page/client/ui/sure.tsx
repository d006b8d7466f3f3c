import { get, set } from '../sync/store.js';
import { closeDialog, open } from './dialog.js';
import { Form } from './form.js';

/** Asks before it does something, and leads back to where it was asked. What is done may lead elsewhere. */
export function sure(question: string, yes: string, act: () => Promise<unknown>, isDanger = false): void {
  const { dialog: former } = get();
  const doIt = async () => {
    await act();
    if (get().dialog !== asked) return;
    if (former) set({ dialog: former });
    else closeDialog();
  };
  open(question, () => <Form action={doIt} submit={yes} isDanger={isDanger} />);
  const { dialog: asked } = get();
}
