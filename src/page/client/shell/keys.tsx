import { Checkbox } from '../ui/form.js';
import { t } from '../ui/language.js';
import { areShortcutsOn, keepShortcuts } from './session.js';

const keys = () => [
  [t.keys.or('j', '↓'), t.keys.next],
  [t.keys.or('k', '↑'), t.keys.before],
  [t.keys.space, t.keys.tap],
  ['a', t.keys.amount],
  ['o', t.keys.open],
  ['u', t.keys.undo],
  ['n', t.keys.newHabit],
  ['/', t.keys.search],
  ['?', t.keys.this],
];

export const Keys = () => (
  <>
    <dl class="keys">
      {keys().map(([key, meaning]) => (
        <div key={key}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
    <p>{t.keys.arrows}</p>
    <Checkbox name="shortcuts" label={t.keys.use} checked={areShortcutsOn()} onChange={keepShortcuts} />
  </>
);
