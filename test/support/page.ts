/// <reference lib="dom" />
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { sharedBrowser } from './browser.js';
import { copiedData, launch } from './process.js';

export const PHONE = { width: 390, height: 844 };

/** In Europe, where a day is not one of UTC. */
const AT_HOME = { timezoneId: 'Europe/Berlin', locale: 'en-GB' };

/** The built service and a browser, for all tests of a file. */
export interface Stage {
  browser: Browser;
  base: string;
  close: () => Promise<void>;
}

export async function openStage(environment: Record<string, string> = {}): Promise<Stage> {
  const { DATA_DIR, remove } = copiedData();
  const service = launch('dist/src/main.js', {
    DATA_DIR,
    HOST: '127.0.0.1',
    EMBEDDED_FSYNC: 'false',
    REQUEST_TIMEOUT: '60000',
    ...environment,
  });
  const [{ base }, browser] = await Promise.all([service.listening(), sharedBrowser()]);
  const close = async () => {
    await service.stop();
    remove();
  };
  return { browser, base, close };
}

let people = 0;

/** An account that was made without the page. */
export class Person {
  private constructor(
    readonly stage: Stage,
    readonly email: string,
    private readonly token: string,
  ) {}

  static async on(stage: Stage): Promise<Person> {
    people += 1;
    const email = `ana${people}@example.com`;
    const input = { name: 'Ana', email, password: 'one step a day' };
    const query = 'mutation ($input: SignUpInput!) { signUp(input: $input) { token } }';
    const { signUp } = await asks(stage.base, query, { input });
    const person = new Person(stage, email, signUp.token);
    await person.asks('mutation { updateProfile(input: { timeZone: "Europe/Berlin" }) { user { id } } }');
    return person;
  }

  asks(query: string, variables: object = {}) {
    return asks(this.stage.base, query, variables, this.token);
  }

  async hasTask(title: string): Promise<string> {
    const query = 'mutation ($title: String!) { createTask(input: { title: $title }) { task { id } } }';
    return (await this.asks(query, { title })).createTask.task.id;
  }

  async completions(): Promise<number> {
    return (await this.asks('{ completions(first: 1) { totalCount } }')).completions.totalCount;
  }

  /** Logs in by the form, in a browser of the person's own. */
  async opens(options: BrowserContextOptions = {}): Promise<Opened> {
    const opened = await newBrowser(this.stage, options);
    await this.logsIn(opened.page);
    return opened;
  }

  async logsIn(page: Page): Promise<void> {
    const other = page.getByRole('button', { name: 'Log in instead' });
    if (await other.isVisible()) await other.click();
    await page.getByLabel('E-mail').fill(this.email);
    await page.getByLabel('Password').fill('one step a day');
    await page.getByRole('button', { name: 'Log in', exact: true }).click();
    await page.getByRole('heading', { name: 'Today' }).waitFor();
  }
}

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at by each test
async function asks(base: string, query: string, variables: object = {}, token = ''): Promise<any> {
  const answer = await fetch(`${base}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await answer.json()) as { data: unknown; errors?: { message: string }[] };
  if (errors) throw new Error(errors[0]?.message);
  return data;
}

export interface Opened {
  context: BrowserContext;
  page: Page;
  /** What the console complained about, and requests to other origins. */
  faults: string[];
}

/** A browser that has not been here before, with the page open. */
export async function newBrowser(stage: Stage, options: BrowserContextOptions = {}): Promise<Opened> {
  const context = await stage.browser.newContext({ ...AT_HOME, ...options });
  onTestFinished(() => context.close());
  const faults: string[] = [];
  context.on('page', (page) => {
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
    page.on('pageerror', (error) => faults.push(String(error)));
  });
  context.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(stage.base).origin) faults.push(request.url());
  });
  const page = await context.newPage();
  await page.goto(`${stage.base}/`);
  await page.locator('h1').waitFor();
  return { context, page, faults };
}

/** The row of a habit: its button, and what it says. */
export const row = (page: Page, title: string) => page.locator('.row', { hasText: title });

export const tapOn = (page: Page, title: string) => row(page, title).locator('.tap');

/** Until then the keys are the dialog's: it is hidden a moment before the page hears that it was closed. */
export const dialogGone = (page: Page) => page.locator('dialog').waitFor({ state: 'detached' });

/** How many taps are on the device. */
export const waiting = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const opening = indexedDB.open('steady/page:');
        opening.onsuccess = () => {
          const counting = opening.result.transaction('taps').objectStore('taps').count();
          counting.onsuccess = () => {
            opening.result.close();
            resolve(counting.result);
          };
        };
      }),
  );
