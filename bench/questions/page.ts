/// <reference lib="dom" />
import type { BrowserContext } from 'playwright-core';
import { startBrowser } from '../../test/support/browser.ts';
import { question } from '../bench.ts';
import { spread } from '../figures.ts';
import { seedUsers } from '../service.ts';

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

async function open(context: BrowserContext, base: string, tasks: number, slower: number): Promise<Seen> {
  const page = await context.newPage();
  const client = await context.newCDPSession(page);
  await client.send('Emulation.setCPUThrottlingRate', { rate: slower });
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
          resolve({ script, asked, answered, list, questions: questions.length });
        };
        look();
      }),
    tasks,
  );
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
  });
  await page.close();
  return seen;
}

const NAMES = ['script', 'asked', 'answered', 'list', 'questions'] as const;

export default question({ rounds: 7, tasks: 50, slower: 4 }, async (bench, { rounds, tasks, slower }) => {
  const environment = { DATABASE_URL: '', DATA_DIR: bench.directory() };
  const [person] = await seedUsers(environment, { users: 1, tasks, completions: 4 * tasks });
  const { port } = await bench.service(environment);
  const browser = await startBrowser();
  bench.defer(() => browser.close());
  const origin = `http://127.0.0.1:${port}`;
  const session = { token: person?.token, userId: person?.id, email: 'ana@example.com' };
  const localStorage = [{ name: 'steady/page:session', value: JSON.stringify(session) }];
  const found: Record<string, Seen[]> = { 'never seen': [], kept: [] };
  for (let round = 0; round <= rounds; round += 1) {
    const context = await browser.newContext({
      storageState: { cookies: [], origins: [{ origin, localStorage }] },
    });
    for (const seen of Object.values(found)) {
      const opened = await open(context, origin, tasks, slower);
      if (round > 0) seen.push(opened); // the service was cold
    }
    await context.close();
  }
  for (const [device, all] of Object.entries(found)) {
    const spreadOf = (name: keyof Seen) =>
      spread(
        all.map((seen) => seen[name]),
        0,
      );
    console.log(`${device}: ${NAMES.map((name) => `${name} ${spreadOf(name)}`).join(', ')}`);
  }
});
