import { open } from './dialog.js';
import { Checkbox } from './form.js';
import { areShortcutsOn, keepShortcuts } from './session.js';

const KEYS = [
  ['j or ↓', 'next habit'],
  ['k or ↑', 'habit before'],
  ['Space', 'do the habit'],
  ['u', 'undo'],
  ['n', 'new habit'],
  ['?', 'this list'],
];

const Keys = () => (
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
    <p>In the year, arrow keys go from day to day.</p>
    <Checkbox
      name="shortcuts"
      label="Single keys do something"
      checked={areShortcutsOn()}
      onChange={keepShortcuts}
    />
  </>
);

export const openKeys = (): void => open('Keys', Keys);
