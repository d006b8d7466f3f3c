import { Button } from './button.js';
import { createTask } from './changes.js';
import { inDays } from './days.js';
import { StatusIcon } from './icons.js';
import { knownIn, type State } from './store.js';
import { newKey, tap, undo } from './taps.js';
import { openTaskForm } from './task-form.js';
import { type Standing, standingOf } from './task-status.js';
import type { Screen, Task } from './types.js';

export function TaskList({ screen, state }: { screen: Screen; state: State }) {
  const { tasks } = screen;
  const known = knownIn(state, screen);
  const standings = tasks.map((task) => ({ task, standing: standingOf(task, known) }));
  const done = standings.filter(({ standing }) => standing.saved + standing.pending > 0).length;
  return (
    <section class="card today" aria-label="Today">
      <div class="card-head">
        <h2>Today</h2>
        {tasks.length > 0 && (
          <p class="about">
            {done} of {tasks.length} done
          </p>
        )}
        <Button kind="primary" act={() => openTaskForm()}>
          New habit
        </Button>
      </div>
      {tasks.length === 0 && <Starters />}
      <ul class="tasks">
        {standings.map(({ task, standing }) => (
          <Row key={task.id} task={task} standing={standing} isLatest={state.toast === task.id} />
        ))}
      </ul>
    </section>
  );
}

function Row({ task, standing, isLatest }: { task: Task; standing: Standing; isLatest: boolean }) {
  const canUndo = standing.saved + standing.pending > 0 && !isLatest;
  return (
    <li class="row">
      <button
        type="button"
        class={`tap ${standing.status}`}
        data-task={task.id}
        data-latest={isLatest}
        onClick={() => void tap(task)}
      >
        <StatusIcon status={standing.status} />
        <span class="text">
          <span class="title">{task.title}</span>{' '}
          {standing.words && <span class="words">{standing.words}</span>}{' '}
          <span class="about">{task.points} points</span>{' '}
          {task.streak.days > 0 && <span class="about">{inDays(task.streak.days)} in a row</span>}
        </span>
      </button>
      {canUndo && (
        <Button kind="quiet undo" label={`Undo ${task.title}`} act={() => undo(task)}>
          Undo
        </Button>
      )}
      <Button kind="quiet more" label={`Edit ${task.title}`} act={() => openTaskForm(task)}>
        ⋯
      </Button>
    </li>
  );
}

const STARTERS = ['Drink a glass of water', 'Walk for 20 minutes', 'Read 10 pages'];

let attempt = newKey();

/** Tapped again since no answer came, it is the same habit; after an answer it is another one. */
async function begin(title: string, place: number): Promise<void> {
  await createTask({ title }, attempt + place);
  attempt = newKey();
}

/** One tap is enough to begin. */
const Starters = () => (
  <div class="starters">
    <p>Nothing here yet. Take one of these, or make your own.</p>
    <ul>
      {STARTERS.map((title, place) => (
        <li key={title}>
          <Button kind="starter" act={() => begin(title, place)}>
            <span aria-hidden="true">+</span> {title}
          </Button>
        </li>
      ))}
    </ul>
  </div>
);
