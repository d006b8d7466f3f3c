import { bringBack } from './changes.js';
import { failed } from './screen.js';
import type { Screen } from './types.js';

/** Habits that are not for now. What was done of them stays in the year. */
export function PutAway({ tasks }: { tasks: Screen['putAway'] }) {
  if (tasks.length === 0) return null;
  return (
    <section class="card" aria-labelledby="put-away">
      <details>
        <summary>
          <h2 id="put-away">Put away ({tasks.length})</h2>
        </summary>
        <ul>
          {tasks.map(({ id, title }) => (
            <li key={id} class="row">
              <span class="title" id={`away-${id}`}>
                {title}
              </span>
              <button
                type="button"
                class="quiet"
                aria-describedby={`away-${id}`}
                onClick={() => void bringBack(id).catch(failed)}
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
