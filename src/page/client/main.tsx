import { followLinks, isArrival, link } from './link.js';
import './page.css';
import './controls.css';
import './list.css';
import './rows.css';
import { render } from 'preact';
import type { Language } from '../../languages/language.js';
import { announce } from './announce.js';
import { NoAnswer, Refused } from './api.js';
import { App } from './app.js';
import { chooseClock } from './days.js';
import { followHistory } from './dialog.js';
import { keepingFocus } from './focus.js';
import { listenToKeys } from './keyboard.js';
import { isLanguage, languageInUse, speak } from './language.js';
import { failed, refresh, restore } from './screen.js';
import { keepSetting, setting } from './session.js';
import { drawWhenFree, watchFingers } from './still.js';
import { get, onChange, type State, set } from './store.js';
import { startSync } from './sync.js';
import { send } from './taps.js';
import { offerViews, openAddress } from './views.js';
import { keepOnDevice } from './worker.js';

const root = document.getElementById('page') ?? document.body;

function draw(): void {
  const state = get();
  keepingFocus(() => render(<App key={languageInUse()} state={state} />, root));
  announce(state);
}

async function ring(): Promise<void> {
  (await import('./notifications.js')).followNotifications();
  if (setting('channel')) await (await import('./push.js')).ringHereStill();
}

let wanted: Language | null | undefined;

/** In the language of the person, and until they are known in that which was spoken last. */
async function speakTo({ screen, session }: State): Promise<void> {
  if (session && !screen) return;
  const language = screen?.user.language ?? null;
  if (language === wanted) return;
  wanted = language;
  const isOther = await speak(language);
  keepSetting('language', languageInUse());
  if (!isOther) return;
  set({}); // what was found in the former one is found anew
  await keepOnDevice();
}

const small = () => import('./dialog-views.js');

offerViews({
  menu: async () => (await small()).Menu,
  entry: async () => (await small()).Entry,
  habit: async () => (await import('./habit.js')).Habit,
  taskForm: async () => (await import('./task-form.js')).TaskForm,
  arrangement: async () => (await small()).Arrangement,
  board: async () => (await small()).Board,
  settings: async () => (await import('./settings.js')).Settings,
  account: async () => (await import('./account-view.js')).Account,
  keys: async () => (await small()).Keys,
  habitReminders: async () => (await import('./reminder-views.js')).habitReminders(),
  checkInLinks: async () => (await import('./reminder-views.js')).checkInLinks(),
  reminders: async () => (await import('./reminder-views.js')).reminders(),
});

/** Not at the top level: the modules that it waits for import from the same file, which would wait for them. */
async function start(): Promise<void> {
  followLinks();
  chooseClock(setting('clock'));
  const kept = setting('language');
  const speaking = speak(isLanguage(kept) ? kept : null);
  const asked = refresh();
  const restored = restore().catch(() => {}); // a browser may refuse to keep anything
  await speaking;
  onChange(() => drawWhenFree(draw));
  watchFingers();
  onChange(() => void speakTo(get()));
  draw();
  void speakTo(get());
  listenToKeys();
  addEventListener('unhandledrejection', (event) => {
    const { reason } = event;
    if (reason instanceof NoAnswer || reason instanceof Refused) event.preventDefault(); // others are faults of this page
    failed(reason);
  });

  await restored;
  await asked;
  if (link && isArrival(link)) await (await import('./opened-link.js')).arrive(link);
  const lead = (address: string) => openAddress(address, get().screen?.tasks ?? []);
  followHistory(lead);
  const address = location.hash.slice(1);
  if (get().screen && address) {
    history.replaceState(history.state, '', location.pathname + location.search); // so that Back closes it
    lead(address);
  }
  startSync();
  if (globalThis.Notification?.permission === 'granted') ring().catch(() => {}); // the page is of use without
  await send();
  await keepOnDevice();
}

void start();
