import { useState } from 'preact/hooks';
import { newKey } from '../../../../packages/client/src/key.js';
import { createTask, type TaskInput } from '../sync/changes.js';
import { get } from '../sync/store.js';
import type { Target } from '../sync/types.js';
import { Button } from '../ui/button.js';
import { thenClose } from '../ui/dialog.js';
import { colourOf } from '../ui/icons.js';
import { inWords, words } from '../ui/later-words.js';

type Texts = typeof words.starters;

interface Starter extends Pick<TaskInput, 'schedule' | 'hasGraceDay'> {
  name: keyof Texts['titles'];
  icon: string;
  colour: string;
  target?: Pick<Target, 'amount' | 'kind'> & { unit: keyof Texts['units'] };
}

const STARTERS: Record<keyof Texts['themes'], Starter[]> = {
  body: [
    { name: 'water', icon: '💧', colour: 'CYAN', target: { amount: 8, unit: 'glasses', kind: 'AT_LEAST' } },
    { name: 'walk', icon: '🚶', colour: 'GREEN' },
    { name: 'stretch', icon: '🤸', colour: 'AMBER' },
  ],
  mind: [
    { name: 'read', icon: '📖', colour: 'BLUE' },
    { name: 'meditate', icon: '🧘', colour: 'VIOLET' },
    { name: 'write', icon: '✍️', colour: 'GREY' },
  ],
  home: [
    { name: 'plants', icon: '🪴', colour: 'GREEN', schedule: { everyDays: 3 }, hasGraceDay: true },
    { name: 'tidy', icon: '🧹', colour: 'AMBER' },
    { name: 'call', icon: '📞', colour: 'PINK', schedule: { timesPer: { count: 1, period: 'WEEK' } } },
  ],
  less: [
    { name: 'coffee', icon: '☕', colour: 'RED', target: { amount: 2, unit: 'cups', kind: 'AT_MOST' } },
    { name: 'sweets', icon: '🍬', colour: 'PINK', target: { amount: 0, unit: 'pieces', kind: 'AT_MOST' } },
    { name: 'phone', icon: '📵', colour: 'BLUE' },
  ],
};

function inputOf({ name, target, ...rest }: Starter): TaskInput {
  const { titles, units } = words.starters;
  const goal: Target | null = target ? { ...target, unit: units[target.unit], per: 'DAY' } : null;
  return { ...rest, title: titles[name], target: goal };
}

/** One tap is enough to begin. Tapped again since no answer came, it is the same habit; after an answer it is another one. */
function Starters() {
  const [attempt, setAttempt] = useState(newKey);
  const begin = async (starter: Starter) => {
    const isFirst = get().screen?.tasks.length === 0;
    const task = await thenClose(() => createTask(inputOf(starter), attempt + starter.name));
    setAttempt(newKey());
    if (isFirst && get().screen?.canRemind)
      await (await import('../shell/later-views.js')).offerReminder(task);
  };
  const { themes, titles } = words.starters;
  return (
    <div class="starters">
      {Object.entries(STARTERS).map(([theme, starters]) => (
        <section key={theme}>
          <h3>{themes[theme as keyof Texts['themes']]}</h3>
          <ul>
            {starters.map((starter) => (
              <li key={starter.name} class={colourOf(starter)}>
                <Button kind="starter" act={() => begin(starter)}>
                  <span aria-hidden="true" class="icon">
                    {starter.icon}
                  </span>{' '}
                  {titles[starter.name]}
                </Button>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

export const startersInWords = () => inWords(Starters);
