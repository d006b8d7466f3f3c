import { Button } from './button.js';
import { archiveTask, changed, createTask, moveTask, updateTask } from './changes.js';
import { closeDialog, open } from './dialog.js';
import { Checkbox, Field, Form, textOf } from './form.js';
import type { State } from './store.js';
import { newKey } from './taps.js';
import type { Task } from './types.js';

export function openTaskForm(task: Task | null = null, templateId: string | null = null): void {
  const idempotencyKey = newKey();
  open(task ? 'Edit habit' : 'New habit', ({ state }) => (
    <TaskForm {...{ task, templateId, state, idempotencyKey }} />
  ));
}

interface Props {
  task: Task | null;
  /** Of the challenge that the habit is made for. */
  templateId: string | null;
  state: State;
  /** Of the opened form: saved again it is the same habit. */
  idempotencyKey: string;
}

function TaskForm({ task, templateId, state, idempotencyKey }: Props) {
  const challenge = state.screen?.user.activeChallenge;
  const save = async (data: FormData) => {
    const input = {
      title: textOf(data, 'title'),
      points: Number(textOf(data, 'points')),
      description: textOf(data, 'description') || null,
      isDailyRoutine: data.has('isDailyRoutine'),
    };
    const linked = data.has('challenge') ? challenge?.template.id : undefined;
    if (task) await updateTask(task.id, changed(task, input));
    else await createTask(input, `${idempotencyKey}-${linked}`, linked);
    closeDialog();
  };
  return (
    <>
      <Form action={save} submit="Save">
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
          min={0.001}
          step="any"
        />
        <Field
          id="task.description"
          label="Note (optional)"
          value={task?.description ?? ''}
          maxlength={10_000}
          rows={3}
        />
        <Checkbox name="isDailyRoutine" label="Daily routine" checked={task?.isDailyRoutine ?? true} />
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

/** Where a habit stands in the list, or that it does not. */
function Place({ task, tasks }: { task: Task; tasks: readonly Task[] }) {
  const at = tasks.findIndex(({ id }) => id === task.id);
  const move = (by: -1 | 1) => {
    const after = tasks[by === -1 ? at - 2 : at + 1]?.id ?? null;
    return { isOff: tasks[at + by] === undefined, act: () => moveTask(task.id, after) };
  };
  return (
    <>
      <h3>Place in the list</h3>
      <div class="buttons">
        <Button {...move(-1)}>Move up</Button>
        <Button {...move(1)}>Move down</Button>
        <Button act={() => archiveTask(task.id).then(closeDialog)}>Archive</Button>
      </div>
    </>
  );
}
