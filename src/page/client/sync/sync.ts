import type { Live } from '../../../../packages/client/src/live.js';
import { now } from '../shell/clock.js';
import { endSession, learn, refresh, refreshAgain, restore, showNothingOf } from '../shell/screen.js';
import { currentSession, onSessionChange } from '../shell/session.js';
import { asOf } from '../today/days.js';
import { followChanges } from './live.js';
import { forgetScreen } from './storage.js';
import { get, onChange, set } from './store.js';
import { send } from './taps.js';
import { followAnew, newsOf, type Told } from './turns.js';
import type { Task } from './types.js';

/** In milliseconds: how often the page looks whether a day has begun. */
const MINUTE = 60_000;

interface Event {
  progressChanged?: Omit<Told, 'task'> & { task: Task | null };
}

let live: Live | undefined;
let followed: string | null = null;

/** Follows whoever is logged in. */
function followSession(): void {
  const token = get().session?.token ?? null;
  if (token === followed) return;
  followed = token;
  live?.stop();
  live =
    token === null ? undefined : followChanges({ ...following, token, refused: () => endSession(token) });
}

const following = {
  // What is read while taps are on their way counts some of them, which the page adds too.
  connected: () => {
    followAnew();
    void send().then(refresh);
  },
  changed: ({ progressChanged }: Event) => {
    // A challenge, the profile, or what habits there are, how they are planned, and in which order.
    if (!progressChanged?.task || !/^COMPLETION/.test(progressChanged.kind)) return void refresh();
    const news = newsOf(progressChanged as Told);
    if (news) learn(news);
  },
};

/** The network is back, or the person: what is shown may be old. */
async function comeBack(): Promise<void> {
  lookAtClock();
  live?.hurry();
  await send();
  await refresh();
}

let dayBegun = '';

/** Once for each day: the service may cut a zone's days otherwise than this browser. */
function turnDay(): boolean {
  const { screen } = get();
  if (!screen) return false;
  const turned = asOf(screen, now());
  const day = `${turned.user.id} ${turned.user.today}`;
  if (turned === screen || day === dayBegun) return false;
  dayBegun = day;
  set({ screen: turned });
  return true;
}

/** A new day changes the list without any event: the service sends none at midnight. */
function lookAtClock(): void {
  if (document.visibilityState === 'visible' && turnDay()) {
    live?.stop();
    followed = null;
    followSession(); // events hold the days that were asked for
    void restore().then(refresh);
  }
}

/** Keeps the page as the service has it. */
export function startSync(): void {
  onChange(followSession);
  followSession();
  addEventListener('online', () => void comeBack());
  addEventListener('offline', () => {
    set({ isOnline: false });
    // Answers under way say otherwise when they arrive. A service on this machine may be there all the same.
    void send().then(refreshAgain);
  });
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void comeBack();
  });
  // One answer that was lost does not mean that the network is.
  setInterval(() => void (get().isOnline || document.hidden ? lookAtClock() : comeBack()), MINUTE / 2);
  onSessionChange(() => {
    const session = currentSession();
    const before = get().session;
    const isSame = session?.userId === before?.userId;
    if (isSame && session?.token) set({ session });
    else {
      showNothingOf(isSame ? session : null);
      // Until it was heard here, an answer may have been kept after the other window forgot everything.
      if (before) forgetScreen(before.userId).catch(() => {});
    }
    set({ session });
    void restore().then(refresh).then(send);
  });
}
