import { createTask, moveTask, putAway, type TaskInput, updateTask } from './changes.js';
import { Cancel, closeDialog } from './dialog.js';
import { Area, Checkbox, Field, Form, textOf } from './form.js';
import { failed } from './screen.js';
import type { State } from './store.js';
import type { Task } from './types.js';

interface Props {
  task: Task | null;
  /** Of the challenge that the habit is made for. */
  templateId: string | null;
  state: State;
}

export function TaskForm({ task, templateId, state }: Props) {
  const challenge = state.screen?.user.activeChallenge;
  const save = async (data: FormData) => {
    const input = {
      title: textOf(data, 'title'),
      points: Number(textOf(data, 'points')),
      description: textOf(data, 'description') || null,
      isDailyRoutine: data.has('isDailyRoutine'),
    };
    const isLinked = data.has('challenge') && challenge;
    if (task) await updateTask(task.id, changedFrom(task, input));
    else await createTask({ ...input, ...(isLinked && { challengeTemplateId: challenge.template.id }) });
    closeDialog();
  };
  return (
    <>
      <Form name="task" action={save} submit="Save" others={<Cancel />}>
        <Field
          id="task.title"
          label="What do you want to do?"
          value={task?.title ?? ''}
          required
          maxlength={500}
        />
        <Field
          id="task.points"
          label="Points each time"
          type="number"
          value={task?.points ?? 10}
          required
          min={0}
          step="any"
        />
        <Area
          id="task.description"
          label="Note (optional)"
          value={task?.description ?? ''}
          maxlength={10_000}
        />
        <Checkbox
          name="isDailyRoutine"
          label="Part of my daily routine"
          checked={task?.isDailyRoutine ?? true}
        />
        {!task && challenge && (
          <Checkbox
            name="challenge"
            label={`Counts for “${challenge.template.title}”`}
            checked={templateId === challenge.template.id}
          />
        )}
      </Form>
      {task && state.screen && <Place task={task} tasks={state.screen.tasks} />}
    </>
  );
}

/** What another device has changed meanwhile stays. Browsers give line breaks as CRLF. */
function changedFrom(
  task: Task,
  input: Required<Omit<TaskInput, 'challengeTemplateId'>>,
): Partial<TaskInput> {
  const plain = (value: unknown) => (typeof value === 'string' ? value.replaceAll('\r\n', '\n') : value);
  const isNew = (name: keyof typeof input) => plain(input[name]) !== plain(task[name]);
  const names = (Object.keys(input) as (keyof typeof input)[]).filter(isNew);
  return Object.fromEntries(names.map((name) => [name, plain(input[name])]));
}

/** Where a habit stands in the list, or that it does not. */
function Place({ task, tasks }: { task: Task; tasks: readonly Task[] }) {
  const at = tasks.findIndex(({ id }) => id === task.id);
  const move = (by: -1 | 1) => {
    const isPossible = tasks[at + by] !== undefined;
    const after = tasks[by === -1 ? at - 2 : at + 1]?.id ?? null;
    return {
      'aria-disabled': !isPossible,
      onClick: () => isPossible && void moveTask(task.id, after).catch(failed),
    };
  };
  const leave = () => void putAway(task.id).then(closeDialog).catch(failed);
  return (
    <>
      <h3>Place in the list</h3>
      <div class="buttons">
        <button type="button" class="quiet" {...move(-1)}>
          Move up
        </button>
        <button type="button" class="quiet" {...move(1)}>
          Move down
        </button>
        <button type="button" class="quiet" onClick={leave}>
          Put away
        </button>
      </div>
    </>
  );
}
