import { restoreTask } from '../sync/changes.js';
import type { Screen } from '../sync/types.js';
import { Button } from '../ui/button.js';
import { t } from '../ui/language.js';

/** Habits that are not for now. What was done of them stays in the year. */
export function Archived({ tasks }: { tasks: Screen['archived'] }) {
  return (
    <section class="card archived" aria-label={t.archive.name}>
      <details>
        <summary>
          <h2>{t.archive.title(tasks.length)}</h2>
        </summary>
        <ul>
          {tasks.map(({ id, title }) => (
            <li key={id} class="row">
              <span class="title">{title}</span>
              <Button label={t.archive.restoreOf(title)} act={() => restoreTask(id)}>
                {t.archive.restore}
              </Button>
            </li>
          ))}
        </ul>
      </details>
    </section>
  );
}
