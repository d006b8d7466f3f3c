import { Checkbox } from './form.js';
import { areShortcutsOn, keepShortcuts } from './session.js';

const KEYS = [
  ['j or ↓', 'next habit'],
  ['k or ↑', 'habit before'],
  ['Space', 'do the habit, or take it back'],
  ['a', 'amount and note'],
  ['o', 'month and charts'],
  ['u', 'undo'],
  ['n', 'new habit'],
  ['/', 'search'],
  ['?', 'this list'],
];

export const Keys = () => (
  <>
    <dl class="keys">
      {KEYS.map(([key, meaning]) => (
        <div key={key}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
    <p>In the year and in a month, arrow keys go from day to day.</p>
    <Checkbox
      name="shortcuts"
      label="Use single-key shortcuts"
      checked={areShortcutsOn()}
      onChange={keepShortcuts}
    />
  </>
);
