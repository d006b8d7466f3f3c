/// <reference lib="dom" />
/// <reference types="vite/client" />
import { rolldown } from 'rolldown';
import { onTestFinished } from 'vitest';
import { eventually } from './eventually.js';
import type { TestUser, World } from './world.js';

/** What a window does beside drawing. */
const PARTS = `
  export { get, set, knownIn } from 'sync/store.ts';
  export { tap, undo, send } from 'sync/taps.ts';
  export { startSync } from 'sync/sync.ts';
  export { archiveTask, changed, createTask, inputOf } from 'sync/changes.ts';
  export { refresh, restore } from 'shell/screen.ts';
  export { call } from 'shell/files.ts';
  export { openLater } from 'shell/later.tsx';
  export { waitingTaps } from 'sync/storage.ts';
  export { noteArchived } from 'today/archived-days.ts';
  export { countsByDay } from 'today/items.ts';
  export { accountOf, standingOf } from 'today/standing.ts';
  export { open, putAway, thenClose } from 'ui/dialog.tsx';
  export { speak } from 'ui/language.ts';
`;

type View = () => null;

type Parts = typeof import('../../src/page/client/sync/store.js') &
  typeof import('../../src/page/client/sync/taps.js') &
  typeof import('../../src/page/client/sync/changes.js') &
  typeof import('../../src/page/client/sync/storage.js') &
  typeof import('../../src/page/client/sync/sync.js') &
  typeof import('../../src/page/client/shell/screen.js') &
  typeof import('../../src/page/client/shell/files.js') &
  typeof import('../../src/page/client/today/archived-days.js') &
  typeof import('../../src/page/client/today/items.js') &
  typeof import('../../src/page/client/today/standing.js') &
  typeof import('../../src/page/client/ui/language.js') & {
    openLater: (title: string, load: () => Promise<View>, view: (part: View) => View) => Promise<void>;
    open: (title: string, view: View) => void;
    putAway: () => void;
    thenClose: (act: () => Promise<unknown>) => Promise<unknown>;
  };

const ENTRY = 'the-page';

let built: Promise<string> | undefined;

async function build(): Promise<string> {
  const bundle = await rolldown({
    input: ENTRY,
    plugins: [
      {
        name: ENTRY,
        resolveId: (id) => (id === ENTRY ? id : null),
        load: (id) =>
          id === ENTRY ? PARTS.replaceAll("from '", `from '${process.cwd()}/src/page/client/`) : null,
      },
    ],
    resolve: { extensionAlias: { '.js': ['.ts', '.tsx', '.js'] } },
    transform: { define: { 'import.meta.url': 'here', 'import.meta.env.DEV': 'false' } },
  });
  const { output } = await bundle.generate({ format: 'iife', name: 'page', codeSplitting: false });
  return output[0].code;
}

type Act = (
  ask: (body?: string) => Promise<Response>,
  count: number,
  body: string,
) => Promise<Response> | Response;

/** Comes between the page and what the service tells by itself. */
type Hear = (text: string, hearing: () => void) => unknown;

/** A window of the page without a browser: all but what it draws. It keeps nothing on a device. */
export async function openWindow(here: World, ana: TestUser, hear: Hear = (_text, hearing) => hearing()) {
  built ??= build();
  const code = await built;
  const events = new EventTarget();
  const navigator = { onLine: true, languages: ['en-GB'] };
  const kept = new Map([
    ['steady/page:session', JSON.stringify({ token: ana.token, userId: ana.id, email: ana.account.email })],
  ]);
  const localStorage = {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, text: string) => void kept.set(name, text),
    removeItem: (name: string) => void kept.delete(name),
  };
  const document = {
    documentElement: { dataset: {} },
    querySelector: () => null,
    querySelectorAll: () => [],
    addEventListener() {},
    visibilityState: 'visible',
  };

  const acts: { field: string; act: Act; asked: { count: number } }[] = [];
  const ask = async (path: string, init: RequestInit): Promise<Response> => {
    if (!navigator.onLine) throw new TypeError('There is no network');
    const answer = await fetch(here.base + path, init);
    const headers = new Headers(answer.headers);
    headers.set('date', here.clock.now().toUTCString());
    return new Response(await answer.text(), { status: answer.status, headers });
  };
  const fetchHere = async (path: string, init: RequestInit): Promise<Response> => {
    const body = String(init.body);
    const found = acts.findLast(({ field }) => body.includes(field));
    if (!found) return ask(path, init);
    found.asked.count += 1;
    return found.act((other = body) => ask(path, { ...init, body: other }), found.asked.count, body);
  };

  let isFollowing = false;
  const Socket = Object.assign(
    function open(url: URL, protocol: string): WebSocket {
      const socket = new WebSocket(url, protocol);
      const set = (hearing: (event: MessageEvent) => void) =>
        socket.addEventListener('message', (event) => {
          const text = String(event.data);
          hear(text, () => hearing(event));
          isFollowing ||= text.includes('inForce');
        });
      return Object.defineProperty(socket, 'onmessage', { set });
    },
    { OPEN: WebSocket.OPEN },
  );

  const timers: ReturnType<typeof setTimeout>[] = [];
  const keptOn =
    <Given extends unknown[]>(set: (...given: Given) => ReturnType<typeof setTimeout>) =>
    (...given: Given) => {
      const timer = set(...given);
      timers.push(timer);
      return timer;
    };
  /** What the page does every half a minute. */
  let everyHalfMinute = () => {};
  const given = {
    ...{ document, navigator, localStorage, sessionStorage: {}, fetch: fetchHere, WebSocket: Socket },
    here: `${here.base}/page/assets/page.js`,
    location: { href: `${here.base}/`, pathname: '/', search: '', hash: '' },
    addEventListener: events.addEventListener.bind(events),
    BroadcastChannel: undefined,
    ...{ history: { pushState() {}, replaceState() {} }, matchMedia: () => ({ matches: false }) },
    Date: class extends Date {
      static override now = () => here.clock.now().getTime();
    },
    setTimeout: keptOn(setTimeout),
    setInterval: (act: () => void) => {
      everyHalfMinute = act;
    },
  };
  const page: Parts = new Function(...Object.keys(given), `${code}; return page;`)(...Object.values(given));
  onTestFinished(() => {
    page.set({ session: null }); // it follows nobody then
    for (const timer of timers) clearTimeout(timer);
  });

  const taskOf = (title: string) => {
    const task = page.get().screen?.tasks.find((each) => each.title === title);
    if (!task) throw new Error(`There is no ${title}`);
    return task;
  };
  const today = () => page.get().screen?.user.today ?? '';
  const standing = (title: string, day = today()) => {
    const { screen } = page.get();
    if (!screen) throw new Error('Nothing is known');
    return page.standingOf(taskOf(title), day, page.knownIn(page.get(), screen));
  };

  await page.speak('EN', navigator.languages);
  await Promise.all([page.refresh(), page.restore()]);
  page.startSync();
  await page.send();

  return {
    ...page,
    kept,
    taskOf,
    tap: (title: string, day = today()) => page.tap(taskOf(title), day),
    undo: (title: string, day = today()) => page.undo(taskOf(title), day),
    /** As a row says it. */
    says: (title: string, day = today()) => page.accountOf(taskOf(title), standing(title, day)),
    /** Comes between the page and the service where it asks for `field`, and counts how often it does. */
    intercept: (field: string, act: Act) => {
      const asked = { count: 0 };
      acts.push({ field, act, asked });
      return asked;
    },
    /** Resolves when it hears of what changes from then on. */
    follows: () => eventually(() => isFollowing),
    setOnline: (isOnline: boolean) => {
      navigator.onLine = isOnline;
      events.dispatchEvent(new Event(isOnline ? 'online' : 'offline'));
    },
    comeBack: () => void events.dispatchEvent(new Event('online')),
    halfMinute: () => everyHalfMinute(),
  };
}
