/// <reference lib="dom" />
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Browser, BrowserContext } from 'playwright-core';
import { startBrowser } from '../test/support/browser.ts';
import { UsageError } from './built.ts';
import { wholeNumbers } from './numbers.ts';
import { startService } from './service.ts';

// `npm run bench -- page [--rounds=N] [--tasks=N] [--slower=N]`: until the page shows its list, in a Chromium whose CPU
// is throttled: on a device that has never seen it, and on one that keeps it. It needs Chromium.

/** In milliseconds since the address was opened. */
interface Seen {
  script: number;
  asked: number;
  answered: number;
  list: number;
  /** Questions to the service up to then. */
  questions: number;
}

async function ask<Data>(base: string, query: string, variables = {}, token = ''): Promise<Data> {
  const answer = await fetch(`${base}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await answer.json()) as { data: Data; errors?: { message: string }[] };
  if (errors) throw new Error(errors[0]?.message);
  return data;
}

/** A person with habits, half of them done; returns what the page keeps of a log-in. */
async function person(base: string, tasks: number): Promise<string> {
  const email = 'ana@example.com';
  const input = { name: 'Ana', email, password: 'one step a day' };
  const signedUp = await ask<{ signUp: { token: string; user: { id: string } } }>(
    base,
    'mutation ($input: SignUpInput!) { signUp(input: $input) { token user { id } } }',
    { input },
  );
  const { token, user } = signedUp.signUp;
  const create = 'mutation ($title: String!) { createTask(input: { title: $title }) { task { id } } }';
  for (let each = 1; each <= tasks; each += 1) {
    const title = `Habit number ${each}`;
    const { createTask } = await ask<{ createTask: { task: { id: string } } }>(
      base,
      create,
      { title },
      token,
    );
    const { id } = createTask.task;
    const done = 'mutation ($id: ID!) { completeTask(taskId: $id) { replayed } }';
    if (each % 2 === 0) await ask(base, done, { id }, token);
  }
  return JSON.stringify({ token, userId: user.id, email });
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

async function measure(browser: Browser, base: string, settings: Settings): Promise<Record<string, Seen[]>> {
  const session = await person(base, settings.tasks);
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

function print(found: Record<string, Seen[]>): void {
  for (const [device, seen] of Object.entries(found)) {
    const of = (name: keyof Seen) => {
      const sorted = seen.map((each) => each[name]).sort((one, other) => one - other);
      const [least, median, most] = [0, sorted.length >> 1, sorted.length - 1].map((at) =>
        Math.round(sorted[at] ?? Number.NaN),
      );
      return `${name} ${median} (${least} to ${most})`;
    };
    console.log(
      `${device}: ${(['script', 'asked', 'answered', 'list', 'questions'] as const).map(of).join(', ')}`,
    );
  }
}

const directory = mkdtempSync(path.join(os.tmpdir(), 'steady-page-'));
try {
  const settings = wholeNumbers({ rounds: 7, tasks: 50, slower: 4 });
  const service = await startService({ DATABASE_URL: '', DATA_DIR: path.join(directory, 'data') });
  const browser = await startBrowser();
  print(await measure(browser, `http://127.0.0.1:${service.port}`, settings));
  await browser.close();
  await service.stop();
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
} finally {
  rmSync(directory, { recursive: true });
}
