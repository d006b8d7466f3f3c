import './page.css';
import './parts.css';
import './forms.css';
import './notices.css';
import './heatmap.css';
import { announce } from './announce.js';
import { App } from './app.js';
import { NoAnswer, Refused } from './ask.js';
import { draw } from './draw.js';
import { keepingFocus } from './focus.js';
import { listenToKeys } from './keys.js';
import { failed, refresh, restore } from './screen.js';
import { get, onChange, set } from './store.js';
import { send } from './taps.js';
import { watch } from './watching.js';
import { keepOnDevice } from './worker.js';

const root = document.getElementById('page');
const show = () => {
  const state = get();
  if (root) keepingFocus(() => draw(root, <App state={state} />));
  announce(state);
  if (state.screen && !state.isListDrawn)
    requestAnimationFrame(() => setTimeout(() => set({ isListDrawn: true })));
};
onChange(show);
const asked = refresh();
show();
listenToKeys();
addEventListener('unhandledrejection', (event) => {
  const { reason } = event;
  if (reason instanceof NoAnswer || reason instanceof Refused) event.preventDefault(); // others are faults of this page
  failed(reason);
});

await restore().catch(() => {}); // a browser may refuse to keep anything
await asked;
watch();
await send();
await keepOnDevice();
