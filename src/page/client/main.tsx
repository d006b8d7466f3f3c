import './page.css';
import './controls.css';
import './list.css';
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
import { offerViews } from './views.js';
import { keepOnDevice } from './worker.js';

const root = document.getElementById('page') ?? document.body;

function draw(): void {
  const state = get();
  keepingFocus(() => render(<App state={state} />, root));
  announce(state);
}

offerViews({
  menu: async () => (await import('./menu.js')).Menu,
  entry: async () => (await import('./entry.js')).Entry,
  habit: async () => (await import('./habit.js')).Habit,
  taskForm: async () => (await import('./task-form.js')).TaskForm,
  arrangement: async () => (await import('./arrangement.js')).Arrangement,
  settings: async () => (await import('./settings.js')).Settings,
  account: async () => (await import('./account-view.js')).Account,
  keys: async () => (await import('./keys.js')).Keys,
});
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
