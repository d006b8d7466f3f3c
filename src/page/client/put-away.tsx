import { bringBack } from './changes.js';
import type { Screen } from './types.js';

/** Habits that are not for now. What was done of them stays in the year. */
export function PutAway({ tasks }: { tasks: Screen['putAway'] }) {
  if (tasks.length === 0) return null;
  return (
    <section class="card" aria-label="Put away">
      <details>
        <summary>
          <h2>Put away ({tasks.length})</h2>
        </summary>
        <ul>
          {tasks.map(({ id, title }) => (
            <li key={id} class="row">
              <span class="title">{title}</span>
              <button
                type="button"
                class="quiet"
                aria-label={`Bring back ${title}`}
                onClick={() => void bringBack(id)}
              >
                Bring back
              </button>
            </li>
          ))}
        </ul>
      </details>
    </section>
  );
}
