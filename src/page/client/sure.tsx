import { closeDialog, open } from './dialog.js';
import { Form } from './form.js';
import { get } from './store.js';

/** Asks before it does something. What is done may open another dialog. */
export function sure(question: string, yes: string, act: () => Promise<unknown>, isDanger = false): void {
  const doIt = async () => {
    await act();
    if (get().dialog === asked) closeDialog();
  };
  open(question, () => <Form action={doIt} submit={yes} isDanger={isDanger} />);
  const { dialog: asked } = get();
}
