import { useEffect, useState } from 'preact/hooks';
import { change } from '../sync/changes.js';
import { UPDATE_NOTE } from '../sync/later-documents.js';
import { knownIn, type State } from '../sync/store.js';
import { record } from '../sync/taps.js';
import type { Completion, Task } from '../sync/types.js';
import { doneOn, undoCompletion } from '../sync/undo.js';
import { Button } from '../ui/button.js';
import { closeDialog, open, thenClose } from '../ui/dialog.js';
import { Amount, amountOf, Field, Form, textOf } from '../ui/form.js';
import { t } from '../ui/language.js';
import { shortDate, timeIn } from './days.js';
import { exact, progressOf, standingOf } from './standing.js';
import { stepOf } from './target.js';

interface EntryProps {
  id: string;
  day: string;
  state: State;
}

/** How much was done, with a note; and what has been done already. */
export function Entry({ id, day, state }: EntryProps) {
  const { screen } = state;
  const task = screen?.tasks.find((each) => each.id === id);
  if (!screen || !task) return null;
  const standing = standingOf(task, day, knownIn(state, screen));
  const { target } = task;
  const save = async (data: FormData) => {
    const amount = target && amountOf(data);
    const recorded = record(task, day, amount, textOf(data, 'note').trim() || null);
    closeDialog(); // it waits, if it must
    await recorded;
  };
  return (
    <>
      <p class="about">
        {[day !== screen.user.today && shortDate(day), progressOf(task, standing)]
          .filter(Boolean)
          .join(' · ')}
      </p>
      {(target || !standing.isKept) && (
        <Form action={save} submit={target ? t.entry.add : t.common.done}>
          {target && (
            <Amount
              id="entry.amount"
              label={t.entry.howMany(target.unit)}
              value={
                (target.kind === 'AT_LEAST' && exact(Math.max(0, target.amount - standing.amount))) ||
                stepOf(task)
              }
              required
              autofocus
            />
          )}
          <Field id="entry.note" label={t.common.optional(t.common.note)} rows={2} maxlength={1_000} />
        </Form>
      )}
      {standing.saved > 0 && <Done task={task} day={day} zone={screen.user.timeZone} />}
    </>
  );
}

/** Each time that it was done, which can have a note of its own and be taken back. */
function Done({ task, day, zone }: { task: Task; day: string; zone: string }) {
  const [done, setDone] = useState<Completion[]>([]);
  useEffect(() => void doneOn(task.id, day).then(setDone), [task, day]);
  return (
    <>
      <h3>{t.common.done}</h3>
      <ul>
        {done.map(({ id, amount, note, completedAt }) => (
          <li key={id} class="row">
            <p class="title">
              {[
                task.target && `${t.number(amount ?? task.target.amount)} ${task.target.unit}`,
                timeIn(Date.parse(completedAt), zone),
                note,
              ]
                .filter(Boolean)
                .join(' · ')}
            </p>
            <Button act={() => open(t.common.note, () => <Note id={id} note={note} />)}>
              {t.common.note}
            </Button>
            <Button act={() => undoCompletion(id, task.id)}>{t.common.undo}</Button>
          </li>
        ))}
      </ul>
    </>
  );
}

function Note({ id, note }: { id: string; note: string | null }) {
  const save = (data: FormData) =>
    thenClose(() => change(UPDATE_NOTE, { id, note: textOf(data, 'note').trim() || null }));
  return (
    <Form action={save} submit={t.common.save}>
      <Field id="note.note" label={t.common.note} value={note ?? ''} rows={3} maxlength={1_000} />
    </Form>
  );
}
