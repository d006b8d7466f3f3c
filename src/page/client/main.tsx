import './page.css';
import './parts.css';
import './forms.css';
import './notices.css';
import './heatmap.css';
import { App } from './app.js';
import { draw } from './draw.js';
import { listenToKeys } from './keys.js';
import { refresh, restore } from './screen.js';
import { get, onChange, set } from './store.js';
import { send } from './taps.js';
import { watch } from './watching.js';
import { keepOnDevice } from './worker.js';

const root = document.getElementById('page');
const show = () => {
  const state = get();
  if (root) draw(root, <App state={state} />);
  if (state.screen && !state.isListDrawn)
    requestAnimationFrame(() => setTimeout(() => set({ isListDrawn: true })));
};
onChange(show);
show();
listenToKeys();

const asked = refresh();
await restore().catch(() => {}); // a browser may refuse to keep anything
await asked;
watch();
await send();
await keepOnDevice();
