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

/** What is kept cannot be read where the disk is full, or the storage damaged. */
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
