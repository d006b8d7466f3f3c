import { useState } from 'preact/hooks';
import { newKey } from '../../../../packages/client/src/key.js';
import { createTask, type TaskInput } from '../sync/changes.js';
import { get } from '../sync/store.js';
import { Button } from '../ui/button.js';
import { t } from '../ui/language.js';

const starters = (): TaskInput[] => [
  {
    title: t.list.starters.water,
    icon: '💧',
    target: { amount: 8, unit: t.list.starters.glasses, kind: 'AT_LEAST', per: 'DAY' },
  },
  { title: t.list.starters.walk, icon: '🚶' },
  { title: t.list.starters.read, icon: '📖' },
];

/** One tap is enough to begin. Tapped again since no answer came, it is the same habit; after an answer it is another one. */
export function Starters() {
  const [attempt, setAttempt] = useState(newKey);
  const begin = async (place: number) => {
    const starter = starters()[place];
    if (!starter) return;
    const task = await createTask(starter, attempt + place);
    setAttempt(newKey());
    if (get().screen?.canRemind) await (await import('../reminders/reminder-views.js')).offerReminder(task);
  };
  return (
    <div class="starters">
      <p>{t.list.empty}</p>
      <ul>
        {starters().map((starter, place) => (
          <li key={starter.title}>
            <Button kind="starter" act={() => begin(place)}>
              <span aria-hidden="true">{starter.icon}</span> {starter.title}
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}
