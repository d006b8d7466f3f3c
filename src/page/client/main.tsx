import './page.css';
import './controls.css';
import './heatmap.css';
import { render } from 'preact';
import { announce } from './announce.js';
import { NoAnswer, Refused } from './api.js';
import { App } from './app.js';
import { keepingFocus } from './focus.js';
import { listenToKeys } from './keyboard.js';
import { failed, refresh, restore } from './screen.js';
import { get, onChange } from './store.js';
import { startSync } from './sync.js';
import { send } from './taps.js';
import { keepOnDevice } from './worker.js';

const root = document.getElementById('page') ?? document.body;

function draw(): void {
  const state = get();
  keepingFocus(() => render(<App state={state} />, root));
  announce(state);
}

onChange(draw);
const asked = refresh();
draw();
listenToKeys();
addEventListener('unhandledrejection', (event) => {
  const { reason } = event;
  if (reason instanceof NoAnswer || reason instanceof Refused) event.preventDefault(); // others are faults of this page
  failed(reason);
});

await restore().catch(() => {}); // a browser may refuse to keep anything
await asked;
startSync();
await send();
await keepOnDevice();
