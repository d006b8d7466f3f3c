// Keeps the page on the device, so that it opens without a network. What it asks the service for is not kept here.

/** Put in front of this file by the build. */
declare const FILES: string[];
declare const LANGUAGES: Record<string, string>;
declare const VERSION: string;

const worker = self as unknown as ServiceWorkerGlobalScope;
const scope = new URL(worker.registration.scope);
const prefix = `steady:${scope.pathname}:`;
const language = location.search.slice(1);
const own = `${prefix}${VERSION}${language}`;

const home = scope.href;
const kept = new Set(
  ['', ...FILES, LANGUAGES[language] ?? []].flat().map((file) => new URL(file, scope).href),
);

worker.addEventListener('install', (event) => {
  event.waitUntil(keepAll().then(() => worker.skipWaiting()));
});

worker.addEventListener('activate', (event) => {
  event.waitUntil(forgetOthers().then(() => worker.clients.claim()));
});

worker.addEventListener('fetch', (event) => {
  const { request } = event;
  const address = addressOf(request);
  if (request.method === 'GET' && kept.has(address)) event.respondWith(answer(address, request));
});

async function keepAll(): Promise<void> {
  const cache = await caches.open(own);
  await cache.addAll([...kept].map((address) => new Request(address, { cache: 'no-cache' })));
}

/** Also on the path without its last slash, and whatever a link has put behind it. */
function addressOf({ url, mode }: Request): string {
  const { origin, pathname } = new URL(url);
  return mode === 'navigate' && `${pathname}/` === scope.pathname ? home : origin + pathname;
}

/** A file that is kept cannot be read where the disk is full, or the storage damaged. */
async function answer(address: string, request: Request): Promise<Response> {
  const found = await caches.match(address, { cacheName: own }).catch(() => undefined);
  return found ?? fetch(request);
}

/** Earlier versions. A window that is open has loaded all that it needs. */
async function forgetOthers(): Promise<void> {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith(prefix) && name !== own);
  await Promise.all(old.map((name) => caches.delete(name)));
}

/** The service sends it: Safari shows it by itself, and this worker where the browser does not. */
interface Pushed {
  notification: {
    title: string;
    body: string;
    lang: string;
    tag: string;
    actions?: { action: string; title: string }[];
    data: { day: string; tasks: number[]; done?: string; colour?: string };
  };
}

type Kept = Pushed['notification']['data'] & { open: string };

worker.addEventListener('push', (event) => {
  const pushed: Pushed | undefined = event.data?.json();
  if (!pushed) return;
  const { title, body, lang, tag, actions, data } = pushed.notification;
  const icon = new URL(`page/icon-${data.colour?.toLowerCase() ?? '512'}.png`, scope).href;
  const [first, second] = data.tasks;
  const kept: Kept = { ...data, open: first && !second ? `habit/${first}` : '' };
  const shown = { body, lang, tag, actions, icon, data: kept };
  event.waitUntil(worker.registration.showNotification(title, shown));
});

worker.addEventListener('notificationclick', (event) => {
  const { notification, action } = event;
  const { done, open } = notification.data as Kept;
  event.waitUntil(
    (async () => {
      const isDone = action === 'done' && done && (await complete(done));
      notification.close();
      if (!isDone) await show(open);
    })(),
  );
});

/** Uses the signed link at the address of this page, since a worker cannot read the log-in. Without a network it is left to the page. */
async function complete(link: string): Promise<boolean> {
  const address = new URL(`check-in/${link.split('/').at(-1)}`, scope);
  return fetch(address, { method: 'POST' }).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Uses the window of the page that was used last, if one is open. */
async function show(open: string): Promise<void> {
  const windows = await worker.clients.matchAll({ type: 'window' });
  const [shown] = windows.filter(({ url }) => new URL(url).pathname === scope.pathname);
  if (!shown) return void (await worker.clients.openWindow(open ? `${home}#${open}` : home));
  shown.postMessage({ open });
  await shown.focus();
}
