// Served in place of the service worker where there is no page: takes the page away from the devices that keep it.

const leaving = self as unknown as ServiceWorkerGlobalScope;

leaving.addEventListener('install', (event) => {
  event.waitUntil(leaving.skipWaiting());
});

leaving.addEventListener('activate', (event) => {
  event.waitUntil(leave());
});

async function leave(): Promise<void> {
  const { pathname } = new URL(leaving.registration.scope);
  const names = await caches.keys();
  const own = names.filter((name) => name.startsWith(`steady:${pathname}:`));
  await Promise.all(own.map((name) => caches.delete(name)));
  await leaving.registration.unregister();
  const windows = await leaving.clients.matchAll({ type: 'window' });
  await Promise.all(windows.map((window) => window.navigate(window.url)));
}
