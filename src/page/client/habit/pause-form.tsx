import { pause } from '../sync/changes.js';
import { thenClose } from '../ui/dialog.js';
import { Field, Form, textOf } from '../ui/form.js';
import { t } from '../ui/language.js';

/** Pauses one habit, or everything. */
export function PauseForm({ taskId, today }: { taskId: string | null; today: string }) {
  const save = (data: FormData) =>
    thenClose(() => pause(taskId, textOf(data, 'from'), textOf(data, 'until') || null));
  return (
    <Form action={save} submit={taskId ? t.menu.pause : t.settings.plan}>
      <p>{t.menu.pauseMeaning}</p>
      <Field id="pause.from" label={t.common.from} type="date" value={today} required />
      <Field id="pause.until" label={t.common.to} type="date" hint={t.menu.openEnd} />
    </Form>
  );
}
