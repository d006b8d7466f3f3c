import { createTask } from './changes.js';
import { Mark } from './mark.js';
import { failed } from './screen.js';
import { canSend, type State, set } from './store.js';
import { tap, undo } from './taps.js';
import type { Screen, Task } from './types.js';
import { inDays, type Standing, standingOf } from './words.js';

export const openTaskForm = (task: Task | null = null, templateId: string | null = null): void =>
  set({ dialog: { kind: 'task', task, templateId } });

export function TaskList({ screen, state }: { screen: Screen; state: State }) {
  const { taps, toast } = state;
  const { tasks, user } = screen;
  const known = { taps, isOnline: canSend(state), zone: user, today: user.today };
  const standings = tasks.map((task) => ({ task, standing: standingOf(task, known) }));
  const done = standings.filter(({ standing }) => standing.saved + standing.pending > 0).length;
  return (
    <section class="card today" aria-labelledby="today">
      <div class="card-head">
        <h2 id="today">Today</h2>
        {tasks.length > 0 && (
          <p class="count">
            {done} of {tasks.length} done
          </p>
        )}
        <button type="button" class="primary" onClick={() => openTaskForm()}>
          New habit
        </button>
      </div>
      {tasks.length === 0 && <Starters />}
      <ul class="tasks">
        {standings.map(({ task, standing }) => (
          <Row key={task.id} task={task} standing={standing} isToast={toast?.taskId === task.id} />
        ))}
      </ul>
    </section>
  );
}

function Row({ task, standing, isToast }: { task: Task; standing: Standing; isToast: boolean }) {
  const canUndo = standing.saved + standing.pending > 0 && !isToast;
  const title = `task-${task.id}`;
  return (
    <li class="row">
      <button
        type="button"
        class={`tap ${standing.state}`}
        data-task={task.id}
        onClick={() => void tap(task).catch(failed)}
      >
        <Mark state={standing.state} />
        <span class="text">
          <span class="title" id={title}>
            {task.title}
          </span>{' '}
          <span class="about">
            {task.points.toLocaleString('en')} points
            {task.streak.days > 0 && ` · ${inDays(task.streak.days)} in a row`}
          </span>{' '}
          {standing.words && <span class="words">{standing.words}</span>}
        </span>
      </button>
      {canUndo && (
        <button
          type="button"
          class="quiet undo"
          aria-describedby={title}
          onClick={() => void undo(task).catch(failed)}
        >
          Undo
        </button>
      )}
      <button type="button" class="quiet more" aria-describedby={title} onClick={() => openTaskForm(task)}>
        <span class="hidden">Edit</span>
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="M5 10a2 2 0 1 0 .01 0zM12 10a2 2 0 1 0 .01 0zM19 10a2 2 0 1 0 .01 0z" />
        </svg>
      </button>
    </li>
  );
}

const STARTERS = ['Drink a glass of water', 'Walk for 20 minutes', 'Read 10 pages'];

/** One tap is enough to begin. */
const Starters = () => (
  <div class="starters">
    <p>Nothing here yet. Begin with one of these, or make your own.</p>
    <ul>
      {STARTERS.map((title) => (
        <li key={title}>
          <button type="button" class="starter" onClick={() => void createTask({ title }).catch(failed)}>
            <span aria-hidden="true">+</span> {title}
          </button>
        </li>
      ))}
    </ul>
  </div>
);
