/// <reference lib="dom" />
import type { BrowserContext, Page } from 'playwright-core';
import { startBrowser } from '../../test/support/browser.ts';
import { question } from '../bench.ts';
import { spread, timesOf } from '../figures.ts';
import { seedUsers } from '../service.ts';

// How long is it until the page shows its list, in a Chromium whose CPU is throttled: on a device that has never seen
// it, and on one that keeps it? How much is sent for that, and how long is it from a tap until its row says so? It needs
// Chromium.

/** In milliseconds since the address was opened. */
interface Seen {
  script: number;
  asked: number;
  answered: number;
  list: number;
  /** Questions to the service up to then. */
  questions: number;
  /** Files of the page up to then, in bytes as they are sent. */
  bytes: number;
}

async function throttled(context: BrowserContext, slower: number): Promise<Page> {
  const page = await context.newPage();
  const client = await context.newCDPSession(page);
  await client.send('Emulation.setCPUThrottlingRate', { rate: slower });
  return page;
}

async function open(context: BrowserContext, base: string, tasks: number, slower: number): Promise<Seen> {
  const page = await throttled(context, slower);
  await page.goto(`${base}/`, { waitUntil: 'commit' });
  const seen = await page.evaluate(
    (count) =>
      new Promise<Seen>((resolve) => {
        const look = () => {
          if (document.querySelectorAll('.tap').length < count) return void requestAnimationFrame(look);
          const list = performance.now();
          const all = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
          const questions = all.filter(({ name, startTime }) => /graphql$/.test(name) && startTime < list);
          const script = all.find(({ name }) => name.endsWith('.js'))?.responseEnd ?? 0;
          const [{ startTime: asked = 0, responseEnd: answered = 0 } = {}] = questions;
          const [html] = performance.getEntriesByType('navigation') as PerformanceResourceTiming[];
          const files = all.filter(
            ({ name, responseEnd }) => !name.endsWith('graphql') && responseEnd < list,
          );
          const bytes = files.reduce((sum, file) => sum + file.encodedBodySize, html?.encodedBodySize ?? 0);
          resolve({ script, asked, answered, list, questions: questions.length, bytes });
        };
        look();
      }),
    tasks,
  );
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => {}));
  await page.close();
  return seen;
}

const NAMES = ['script', 'asked', 'answered', 'list', 'questions'] as const;

/** For so long after the list has moved, the page refuses a tap that may have been aimed at what was there. */
const MOVED_MS = 700;

/**
 * From the finger's touching each row, which it leaves at once, until that is painted as tapped, in milliseconds. No
 * locator of Playwright comes near: it would put listeners of its own into the page.
 */
async function tapAll(context: BrowserContext, base: string, tasks: number, slower: number) {
  const page = await throttled(context, slower);
  await page.goto(`${base}/`);
  const ids = await page.evaluate(listed, tasks);
  await page.evaluate(watchTaps);
  for (const [index, id] of ids.entries()) {
    const [x, y] = await page.evaluate(comeTo, { id, moved: MOVED_MS });
    await page.touchscreen.tap(x, y);
    await page.evaluate(paintedTaps, index + 1);
  }
  const painted = await page.evaluate(paintedTaps, tasks);
  await page.close();
  return painted;
}

/** The ids of all habits, once they are shown. */
async function listed(tasks: number): Promise<string[]> {
  const rows = () => [...document.querySelectorAll<HTMLElement>('.tap')];
  while (rows().length < tasks) await new Promise(requestAnimationFrame);
  return rows().map(({ dataset }) => dataset.task ?? '');
}

/** Notes for each tap how long it took. */
function watchTaps(): void {
  const painted: number[] = [];
  Object.assign(window, { painted });
  let touched = 0;
  const touch = ({ timeStamp }: Event) => {
    touched = timeStamp;
  };
  addEventListener('pointerdown', touch, true);
  const follow = ({ target }: Event) => {
    const row = (target as Element).closest('.tap');
    if (!row) return;
    const [before, from] = [row.className, touched];
    const look = () => {
      if (row.className === before) return void requestAnimationFrame(look);
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => painted.push(performance.now() - from); // once the frame is drawn
      port2.postMessage(null);
    };
    requestAnimationFrame(look);
  };
  addEventListener('click', follow, true);
}

/** Once the last one is in its place: the middle of a row, which is in view. */
async function comeTo({ id, moved }: { id: string; moved: number }): Promise<[x: number, y: number]> {
  while (document.querySelector('[style*="held"]')) await new Promise((resolve) => setTimeout(resolve, 50));
  const row = document.querySelector(`[data-task="${id}"]`);
  row?.scrollIntoView({ block: 'center' });
  await new Promise((resolve) => setTimeout(resolve, moved));
  const { x = 0, y = 0, width = 0, height = 0 } = row?.getBoundingClientRect() ?? {};
  return [x + width / 2, y + height / 2];
}

async function paintedTaps(count: number): Promise<number[]> {
  const painted = (): number[] => Reflect.get(window, 'painted');
  while (painted().length < count) await new Promise((resolve) => setTimeout(resolve, 50));
  return painted();
}

export default question({ rounds: 7, tasks: 60, slower: 4 }, async (bench, { rounds, tasks, slower }) => {
  const environment = { DATABASE_URL: '', DATA_DIR: bench.directory() };
  const [person] = await seedUsers(environment, { users: 1, tasks, completions: 4 * tasks });
  const { port } = await bench.service(environment);
  const browser = await startBrowser();
  bench.defer(() => browser.close());
  const origin = `http://127.0.0.1:${port}`;
  const session = { token: person?.token, userId: person?.id, email: 'ana@example.com' };
  const localStorage = [{ name: 'steady/page:session', value: JSON.stringify(session) }];
  const found: Record<string, Seen[]> = { 'never seen': [], kept: [] };
  let taps: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const context = await browser.newContext({
      storageState: { cookies: [], origins: [{ origin, localStorage }] },
      viewport: { width: 390, height: 844 },
      hasTouch: true,
    });
    for (const seen of Object.values(found)) {
      const opened = await open(context, origin, tasks, slower);
      if (round > 0) seen.push(opened); // the service was cold
    }
    if (round === rounds) taps = await tapAll(context, origin, tasks, slower);
    await context.close();
  }
  for (const [device, all] of Object.entries(found)) {
    const times = (name: keyof Seen) => all.map((seen) => seen[name]);
    console.log(`${device}: ${NAMES.map((name) => `${name} ${spread(times(name), 0)}`).join(', ')}`);
  }
  const bytes = found['never seen']?.map((seen) => seen.bytes) ?? [];
  console.log(`never seen: ${spread(bytes, 0)} bytes are sent for the first list`);
  const { count, p50, longest } = timesOf(taps);
  console.log(
    `${count} taps: painted after ${p50.toFixed(0)} ms (median), ${longest.toFixed(0)} ms (longest)`,
  );
});
