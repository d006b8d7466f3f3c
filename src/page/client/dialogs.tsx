import { Cancel, closeDialog, Dialog } from './dialog.js';
import { Form } from './form.js';
import { Keys } from './keys-list.js';
import { Settings } from './settings.js';
import type { Dialog as Shown, State } from './store.js';
import { TaskForm } from './task-form.js';

export function Dialogs({ dialog, state }: { dialog: Shown; state: State }) {
  if (dialog.kind === 'task') {
    const { task, templateId } = dialog;
    return (
      <Dialog title={task ? 'Edit habit' : 'New habit'}>
        <TaskForm task={task} templateId={templateId} state={state} />
      </Dialog>
    );
  }
  if (dialog.kind === 'keys') {
    return (
      <Dialog title="Keys">
        <Keys />
      </Dialog>
    );
  }
  if (dialog.kind === 'settings') {
    return (
      <Dialog title="Settings">{state.screen && <Settings user={state.screen.user} state={state} />}</Dialog>
    );
  }
  const act = () => dialog.act().then(closeDialog);
  return (
    <Dialog title={dialog.question}>
      <Form name="sure" action={act} submit={dialog.yes} others={<Cancel />} />
    </Dialog>
  );
}
