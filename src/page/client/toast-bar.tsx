import { knownIn, type State, type Toast } from './store.js';
import { undo } from './taps.js';
import { standingOf } from './words.js';

/** What became of the latest tap, and the way back. */
export function ToastBar({ toast, state }: { toast: Toast; state: State }) {
  const { screen } = state;
  const task = screen?.tasks.find(({ id }) => id === toast.taskId);
  if (!screen || !task) return null;
  const { words } = standingOf(task, knownIn(state, screen));
  return (
    <div class="toast">
      <p>
        {task.title}: {words}
      </p>
      <button type="button" class="link" onClick={() => void undo(task)}>
        Undo
      </button>
    </div>
  );
}
