/// <reference lib="dom" />
import type { Browser, BrowserContext } from 'playwright-core';
import { startBrowser } from '../../test/support/browser.ts';
import { question } from '../bench.ts';
import { spread } from '../figures.ts';
import { type SeededUser, seedUsers } from '../service.ts';

// How long is it until the page shows its list, in a Chromium whose CPU is throttled: on a device that has never seen
// it, and on one that keeps it? It needs Chromium.

/** In milliseconds since the address was opened. */
interface Seen {
  script: number;
  asked: number;
  answered: number;
  list: number;
  /** Questions to the service up to then. */
  questions: number;
}

async function open(context: BrowserContext, base: string, settings: Settings): Promise<Seen> {
  const page = await context.newPage();
  const client = await context.newCDPSession(page);
  await client.send('Emulation.setCPUThrottlingRate', { rate: settings.slower });
  await page.goto(`${base}/`, { waitUntil: 'commit' });
  const seen = await page.evaluate(
    (tasks) =>
      new Promise<Seen>((resolve) => {
        const look = () => {
          if (document.querySelectorAll('.tap').length < tasks) return void requestAnimationFrame(look);
          const list = performance.now();
          const all = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
          const questions = all.filter(({ name, startTime }) => /graphql$/.test(name) && startTime < list);
          const script = all.find(({ name }) => name.endsWith('.js'))?.responseEnd ?? 0;
          const [{ startTime: asked = 0, responseEnd: answered = 0 } = {}] = questions;
          resolve({ script, asked, answered, list, questions: questions.length });
        };
        look();
      }),
    settings.tasks,
  );
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
  });
  await page.close();
  return seen;
}

interface Settings {
  rounds: number;
  tasks: number;
  slower: number;
}

async function measure(
  browser: Browser,
  base: string,
  { id, token }: SeededUser,
  settings: Settings,
): Promise<Record<string, Seen[]>> {
  const session = JSON.stringify({ token, userId: id, email: 'ana@example.com' });
  const found: Record<string, Seen[]> = { 'never seen': [], kept: [] };
  const localStorage = [{ name: 'steady/page:session', value: session }];
  for (let round = 0; round <= settings.rounds; round += 1) {
    const context = await browser.newContext({
      storageState: { cookies: [], origins: [{ origin: base, localStorage }] },
    });
    const [first, again] = [await open(context, base, settings), await open(context, base, settings)];
    if (round > 0) found['never seen']?.push(first); // the service was cold
    if (round > 0) found.kept?.push(again);
    await context.close();
  }
  return found;
}

const NAMES = ['script', 'asked', 'answered', 'list', 'questions'] as const;

export default question({ rounds: 7, tasks: 50, slower: 4 }, async (bench, settings) => {
  const environment = { DATABASE_URL: '', DATA_DIR: bench.directory() };
  const numbers = { users: 1, tasks: settings.tasks, completions: 4 * settings.tasks };
  const [person] = await seedUsers(environment, numbers);
  const service = await bench.service(environment);
  const browser = await startBrowser();
  bench.defer(() => browser.close());
  const found = await measure(browser, `http://127.0.0.1:${service.port}`, person as SeededUser, settings);
  for (const [device, seen] of Object.entries(found)) {
    const figures = NAMES.map(
      (name) =>
        `${name} ${spread(
          seen.map((each) => each[name]),
          0,
        )}`,
    );
    console.log(`${device}: ${figures.join(', ')}`);
  }
});
