import { failed } from './screen.js';
import { canSend, type State, type Toast } from './store.js';
import { undo } from './taps.js';
import { standingOf } from './words.js';

/** What became of the latest tap, and the way back. */
export function ToastBar({ toast, state }: { toast: Toast; state: State }) {
  const { screen, taps } = state;
  const task = screen?.tasks.find(({ id }) => id === toast.taskId);
  if (!screen || !task) return null;
  const known = { taps, isOnline: canSend(state), zone: screen.user, today: screen.user.today };
  const { words } = standingOf(task, known);
  return (
    <div class="toast">
      <p role="status">
        {task.title}: {words}
      </p>
      <button type="button" class="link" onClick={() => void undo(task).catch(failed)}>
        Undo
      </button>
    </div>
  );
}
