import { useEffect } from 'preact/hooks';
import { restoreTask } from '../sync/changes.js';
import { get } from '../sync/store.js';
import type { Screen } from '../sync/types.js';
import { Button } from '../ui/button.js';
import { t } from '../ui/language.js';
import { forgetArchived, noteArchived } from './archived-days.js';

/** Habits that are not for now. What was asked and done of them stays in the year, and in the last days. */
export function Archived({ tasks }: { tasks: Screen['archived'] }) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer has a list of its own
  useEffect(() => {
    const { screen } = get();
    return screen ? noteArchived(screen) : undefined;
  }, [tasks]);
  useEffect(() => forgetArchived, []);
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
