/// <reference lib="dom" />
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';

/** In Europe, where a day is not one of UTC. Drawing what moves would take a quarter of a test. */
const USUAL: BrowserContextOptions = {
  ...{ timezoneId: 'Europe/Berlin', locale: 'en-GB' },
  ...{ reducedMotion: 'reduce', serviceWorkers: 'block' },
};

/** What a browser has in its local storage when it opens the page. */
export type Kept = readonly { name: string; value: string }[];

interface Place {
  browser: Browser;
  base: string;
}

/** A browser that is used by one test after another, and a window of it in which no script of the page runs. */
interface Shared {
  kind: string;
  context: BrowserContext;
  window: Page;
}

const free: Shared[] = [];

const MOST_FREE = 3;

/** A browser that knows nothing but what it has kept: where the page is not kept, one that was used and emptied. */
export async function lend(place: Place, options: BrowserContextOptions, kept: Kept) {
  if (options.serviceWorkers === 'allow') return ownBrowser(place, options, kept);
  const { viewport, ...others } = options;
  const kind = JSON.stringify(others);
  const index = free.findIndex((each) => each.kind === kind);
  const shared = free.splice(index, Number(index >= 0))[0] ?? (await newShared(place.browser, kind, others));
  const { context, window } = shared;
  await fill(shared, place, kept);
  const open = async () => {
    const page = await context.newPage();
    if (viewport) await page.setViewportSize(viewport);
    return page;
  };
  const giveBack = async () => {
    for (const event of ['page', 'request'] as const) context.removeAllListeners(event);
    await context.unrouteAll({ behavior: 'ignoreErrors' });
    const others = context.pages().filter((page) => page !== window);
    await Promise.all(others.map((page) => page.close()));
    await context.setOffline(false);
    if (await hasOwnClock(window)) return context.close();
    free.push(shared);
    if (free.length > MOST_FREE) await free.shift()?.context.close();
  };
  return { context, open, giveBack };
}

/** As `eventually`. */
const PATIENCE_MS = 100_000;

async function newContext(browser: Browser, options: BrowserContextOptions): Promise<BrowserContext> {
  const context = await browser.newContext({ ...USUAL, ...options });
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}

async function ownBrowser(place: Place, options: BrowserContextOptions, kept: Kept) {
  const origins = [{ origin: new URL(place.base).origin, localStorage: [...kept] }];
  const context = await newContext(place.browser, { storageState: { cookies: [], origins }, ...options });
  const giveBack = async () => {
    await context.unrouteAll({ behavior: 'ignoreErrors' });
    await context.close();
  };
  return { context, open: () => context.newPage(), giveBack };
}

async function newShared(browser: Browser, kind: string, options: BrowserContextOptions): Promise<Shared> {
  const context = await newContext(browser, options);
  const addInitScript = () => {
    throw new Error('It would stay for the tests to come: use that of the page, or a browser of its own');
  };
  return { kind, context: Object.assign(context, { addInitScript }), window: await context.newPage() };
}

/** Forgets all of the last test, and keeps what is to be there. */
async function fill({ context, window }: Shared, { base }: Place, kept: Kept): Promise<void> {
  const picture = `${base}/page/icon.svg`;
  await Promise.all([context.clearCookies(), window.url() === picture || window.goto(picture)]);
  await window.evaluate(async (entries) => {
    localStorage.clear();
    for (const { name, value } of entries) localStorage.setItem(name, value);
    const databases = await indexedDB.databases();
    for (const { name = '' } of databases)
      await new Promise<void>((resolve, reject) => {
        const deletion = indexedDB.deleteDatabase(name);
        deletion.onsuccess = () => resolve();
        deletion.onerror = () => reject(deletion.error);
      });
  }, kept);
}

/** Playwright gives a clock to all windows, and never takes it away. */
const hasOwnClock = (window: Page) => window.evaluate(() => '__pwClock' in globalThis);
