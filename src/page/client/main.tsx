import { followLinks, isArrival, link } from './shell/link.js';
import './shell/page.css';
import './ui/controls.css';
import './today/list.css';
import './today/rows.css';
import { render } from 'preact';
import type { Language } from '../../base/languages/language.js';
import { App } from './app.js';
import { announce } from './shell/announce.js';
import { listenToKeys } from './shell/keyboard.js';
import { failed, refresh, restore } from './shell/screen.js';
import { keepSetting, setting } from './shell/session.js';
import { offerViews, openAddress } from './shell/views.js';
import { NoAnswer, Refused } from './sync/api.js';
import { get, onChange, passWithTaps, type State, set } from './sync/store.js';
import { startSync } from './sync/sync.js';
import { send } from './sync/taps.js';
import { chooseClock } from './today/days.js';
import { drawWhenFree, watchFingers } from './today/still.js';
import { followHistory } from './ui/dialog.js';
import { keepingFocus } from './ui/focus.js';
import { isLanguage, languageInUse, speak } from './ui/language.js';
import { wear } from './ui/theme.js';
import { keepOnDevice } from './worker.js';

const root = document.getElementById('page') ?? document.body;

function draw(): void {
  const state = get();
  keepingFocus(() => render(<App key={languageInUse()} state={state} />, root));
  announce(state);
}

async function ring(): Promise<void> {
  (await import('./reminders/notifications.js')).followNotifications();
  if (setting('channel')) await (await import('./reminders/push.js')).ringHereStill();
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

offerViews(
  () => import('./shell/dialog-views.js'),
  () => import('./shell/later-views.js'),
);

/** Not at the top level: the modules that it waits for import from the same file, which would wait for them. */
async function start(): Promise<void> {
  followLinks();
  wear(setting('theme'));
  chooseClock(setting('clock'));
  const kept = setting('language');
  const speaking = speak(isLanguage(kept) ? kept : null);
  const asked = refresh();
  const restored = restore().catch(() => {}); // a browser may refuse to keep anything
  await speaking;
  onChange(() => drawWhenFree(draw));
  watchFingers();
  passWithTaps();
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
  if (link && isArrival(link)) await (await import('./account/opened-link.js')).arrive(link);
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
