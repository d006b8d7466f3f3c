import { Button } from './button.js';
import { archiveTask, deleteTask, endPause, pause, skip, skipDay, unskip } from './changes.js';
import { isIn, later, shortDate, spanOf } from './days.js';
import { closeDialog, open } from './dialog.js';
import { Field, Form, textOf } from './form.js';
import { groupOf, progressOf, standingOf } from './standing.js';
import { knownIn, type State } from './store.js';
import { undo } from './taps.js';
import type { Task } from './types.js';
import { openEntry, openHabit, openTaskForm } from './views.js';

interface MenuProps {
  id: string;
  day: string;
  state: State;
}

/** What can be done with a habit on a day. */
export function Menu({ id, day, state }: MenuProps) {
  const { screen } = state;
  const task = screen?.tasks.find((each) => each.id === id);
  if (!screen || !task) return null;
  const { today } = screen.user;
  const standing = standingOf(task, day, knownIn(state, screen));
  const count = standing.saved + standing.pending;
  const then = (act: () => Promise<unknown>) => () => act().finally(closeDialog);
  const name = day === today ? 'today' : shortDate(day);
  const isBegun = standing.state === 'PARTIAL';
  const current = task.pauses.find((each) => isIn(each, today));
  const planned = task.pauses.filter(({ from }) => from > today);
  return (
    <>
      <p class="about">
        {[day !== today && shortDate(day), progressOf(task, standing)].filter(Boolean).join(' · ')}
      </p>
      <div class="menu">
        <Button act={() => openEntry(task, day)}>{task.target ? 'Amount and note' : 'Note'}</Button>
        {count > 0 && <Button act={then(() => undo(task, day))}>Take back the last</Button>}
        {groupOf(standing) === 'due' && (
          <Button act={then(() => skip(task, day, isBegun))}>Skip {name}</Button>
        )}
        {(standing.state === 'SKIPPED' || isBegun) && (
          <Button act={then(() => unskip(task, day, isBegun))}>Do not skip {name}</Button>
        )}
        {standing.state === 'SKIPPED' && (
          <Button act={() => open('Why is it skipped?', () => <SkipNote taskId={id} day={day} />)}>
            Say why
          </Button>
        )}
        <Button act={() => openHabit(task)}>Month and charts</Button>
        {current ? (
          <Button act={then(() => endPause(current.id, later(today, -1)))}>End the pause</Button>
        ) : (
          <Button act={() => open(`Pause “${task.title}”`, () => <PauseForm taskId={id} today={today} />)}>
            Pause
          </Button>
        )}
        {planned.map((each) => (
          <Button key={each.id} act={() => endPause(each.id, later(each.from, -1))}>
            Cancel the pause {spanOf(each)}
          </Button>
        ))}
        <Button act={() => openTaskForm(task)}>Edit</Button>
        <Button act={then(() => archiveTask(id))}>Archive</Button>
        <Button kind="quiet danger" act={() => askToDelete(task)}>
          Delete
        </Button>
      </div>
    </>
  );
}

/** It is shown among the notes of the day. */
function SkipNote({ taskId, day }: { taskId: string; day: string }) {
  const save = async (data: FormData) => {
    await skipDay(taskId, day, textOf(data, 'note').trim() || null);
    closeDialog();
  };
  return (
    <Form action={save} submit="Save">
      <Field id="skip.note" label="Note" rows={2} maxlength={1_000} />
    </Form>
  );
}

/** Of one habit, or of everything. */
export function PauseForm({ taskId, today }: { taskId: string | null; today: string }) {
  const save = async (data: FormData) => {
    await pause(taskId, textOf(data, 'from'), textOf(data, 'until') || null);
    closeDialog();
  };
  return (
    <Form action={save} submit="Pause">
      <p>Nothing is asked for in these days, and they break no run.</p>
      <Field id="pause.from" label="From" type="date" value={today} required />
      <Field id="pause.until" label="To" type="date" hint="Empty: until you end it." />
    </Form>
  );
}

/** Not to be had back, so it says what goes. */
function askToDelete(task: Task): void {
  open(`Delete “${task.title}”?`, () => (
    <Form action={() => deleteTask(task.id).then(closeDialog)} submit="Delete it for good" isDanger>
      <p>
        Its whole history goes with it: every day on which it was done, its notes, and the points it earned.
        Your own streak is counted again without it. Nobody can bring it back.
      </p>
      <p>To keep all that and only have it off the list, archive it.</p>
    </Form>
  ));
}
