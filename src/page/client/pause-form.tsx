import { pause } from './changes.js';
import { closeDialog } from './dialog.js';
import { Field, Form, textOf } from './form.js';
import { t } from './language.js';

/** Pauses one habit, or everything. */
export function PauseForm({ taskId, today }: { taskId: string | null; today: string }) {
  const save = async (data: FormData) => {
    await pause(taskId, textOf(data, 'from'), textOf(data, 'until') || null);
    closeDialog();
  };
  return (
    <Form action={save} submit={taskId ? t.menu.pause : t.settings.plan}>
      <p>{t.menu.pauseMeaning}</p>
      <Field id="pause.from" label={t.common.from} type="date" value={today} required />
      <Field id="pause.until" label={t.common.to} type="date" hint={t.menu.openEnd} />
    </Form>
  );
}
