/// <reference lib="dom" />
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page, Route } from 'playwright-core';
import { beforeAll, inject, it, onTestFinished } from 'vitest';
import { en, type PageTexts } from '../../src/page/texts/en.js';
import type { LaterTexts } from '../../src/page/texts/later-en.js';
import { sharedBrowser } from './browser.js';
import { type Kept, lend } from './contexts.js';
import { copiedData, launch, ofPage } from './process.js';
import { has } from './tools.js';

export const PHONE = { width: 390, height: 844 };

export const DESK = { width: 1280, height: 800 };

/** The page is kept on the device, as in every browser; for most tests that would only be work. */
export const KEPT = { serviceWorkers: 'allow' } as const;

/** The built service and a browser, for all tests of a file. */
export interface Stage {
  browser: Browser;
  base: string;
  close: () => Promise<void>;
}

export async function openStage(environment: Record<string, string> = {}): Promise<Stage> {
  const { DATA_DIR, remove } = copiedData();
  const service = launch('dist/src/main.js', { ...ofPage(DATA_DIR), ...environment });
  const [{ base }, browser] = await Promise.all([service.listening(), sharedBrowser()]);
  const close = async () => {
    await service.stop();
    remove();
  };
  return { browser, base, close };
}

/** The stage of a file: with the service of all files, or one of its own that has settings. There is none without Chromium. */
export function stageForTests(environment?: Record<string, string>): Stage {
  const stage = {} as Stage;
  beforeAll(async () => {
    if (!has('Chromium')) return;
    if (!environment)
      return void Object.assign(stage, { browser: await sharedBrowser(), base: inject('stage') });
    Object.assign(stage, await openStage(environment));
    return stage.close;
  });
  return stage;
}

/** In the dialog of the account. */
export async function fillPasswords(page: Page, current: string, next: string): Promise<void> {
  const form = page.locator('form', { has: page.getByLabel('New password') });
  await form.getByLabel('Current password').fill(current);
  await form.getByLabel('New password').fill(next);
}

/** What a form says at one of its fields; empty: nothing. */
export const faultOf = (field: Locator): Promise<string> =>
  field.evaluate((input: HTMLInputElement) => input.validationMessage);

/** A test that `npm run test:page` tries; the others are tried where a change touches the page, and by `test:all`. */
export const journey = (name: string, run: () => Promise<void>) => it(name, { tags: 'journey' }, run);

let people = 0;

/** An account that was made without the page. */
export class Person {
  private constructor(
    readonly stage: Stage,
    readonly email: string,
    private readonly token: string,
    private readonly userId: string,
  ) {}

  static async on(stage: Stage): Promise<Person> {
    people += 1;
    const email = `ana${people}@${process.pid}.example.com`;
    const input = { name: 'Ana', email, password: 'one step a day' };
    const query = 'mutation ($input: SignUpInput!) { signUp(input: $input) { token user { id } } }';
    const { signUp } = await asks(stage.base, query, { input });
    const person = new Person(stage, email, signUp.token, signUp.user.id);
    await person.asks('mutation { updateProfile(input: { timeZone: "Europe/Berlin" }) { user { id } } }');
    return person;
  }

  asks(query: string, variables: object = {}) {
    return asks(this.stage.base, query, variables, this.token);
  }

  async hasTask(title: string, more: object = {}): Promise<string> {
    const query = 'mutation ($input: CreateTaskInput!) { createTask(input: $input) { task { id } } }';
    return (await this.asks(query, { input: { title, ...more } })).createTask.task.id;
  }

  /** Of another log-in. */
  async newToken(): Promise<string> {
    const input = { email: this.email, password: 'one step a day' };
    const logIn = 'mutation ($input: LogInInput!) { logIn(input: $input) { token } }';
    return (await asks(this.stage.base, logIn, { input })).logIn.token;
  }

  async completions(): Promise<number> {
    return (await this.asks('{ completions(first: 1) { totalCount } }')).completions.totalCount;
  }

  /** In a browser of the person's own, that has kept their log-in. */
  async opens(options: BrowserContextOptions = {}): Promise<Opened> {
    const { pathname } = new URL(`${this.stage.base}/`);
    const value = JSON.stringify({ token: this.token, userId: this.userId, email: this.email });
    const opened = await newBrowser(this.stage, options, [{ name: `steady${pathname}page:session`, value }]);
    await opened.page.locator('.today h2').waitFor();
    return opened;
  }

  async logsIn(page: Page): Promise<void> {
    await page.getByLabel('E-mail').waitFor();
    const other = page.getByRole('button', { name: 'Log in instead' });
    if (await other.isVisible()) await other.click();
    await page.getByLabel('E-mail').fill(this.email);
    await page.getByLabel('Password').fill('one step a day');
    await page.getByRole('button', { name: 'Log in', exact: true }).click();
    await page.getByRole('heading', { name: 'Today' }).waitFor();
  }
}

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at by each test
export async function asks(base: string, query: string, variables: object = {}, token = ''): Promise<any> {
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

/** A browser that has not been here before, or has kept something, with the page open. */
export async function newBrowser(
  stage: Stage,
  options: BrowserContextOptions = {},
  kept: Kept = [],
): Promise<Opened> {
  const { context, open, giveBack } = await lend(stage, options, kept);
  onTestFinished(giveBack);
  const faults: string[] = [];
  context.on('page', (page) => {
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
    page.on('pageerror', (error) => faults.push(String(error)));
  });
  context.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(stage.base).origin) faults.push(request.url());
  });
  const page = await open();
  await page.goto(`${stage.base}/`);
  await page.locator('h1').waitFor();
  return { context, page, faults };
}

/** The row of a habit: its button, and what it says. */
export const row = (page: Page, title: string) => page.locator('.row', { hasText: title });

export const tapOn = (page: Page, title: string) => row(page, title).locator('.tap');

/** The service has confirmed that it was done. */
export const saved = (page: Page, title: string) => row(page, title).locator('.tap.saved');

export interface DialogWay {
  way: string[];
  /** What is pressed inside: a choice, or what is folded. */
  within?: string;
  shows: string;
}

const accountIn = (t: PageTexts): DialogWay => ({
  way: [t.settings.title, t.account.title],
  shows: t.account.loggedInAs('').slice(0, 6),
});

/** The buttons that lead to each dialog, and what it shows when it is whole. */
export function dialogsIn(t: PageTexts): DialogWay[] {
  const more = t.row.more('Read');
  return [
    { way: [t.list.newHabit], shows: t.form.title },
    { way: [t.list.newHabit], within: t.limits.kinds.AT_MOST, shows: t.limits.atMost },
    { way: [t.list.newHabit], within: t.form.more, shows: t.form.sectionHint },
    { way: [t.settings.title], shows: t.settings.vacation },
    accountIn(t),
    { ...accountIn(t), within: t.back.changeEmail, shows: t.back.newEmail },
    { way: [t.settings.title, t.keys.title], shows: t.keys.next },
    { way: [t.settings.title, t.settings.plan], shows: t.menu.pauseMeaning },
    { way: [t.board.title], shows: 'Read' },
    { way: [t.list.arrange], shows: t.arrange.how },
    { way: [more], shows: t.menu.skipToday },
    { way: [more, t.menu.amountAndNote], shows: t.entry.howMany('pages') },
    { way: [more, t.menu.month], shows: t.habit.byWeekday },
    { way: [more, t.menu.remove], shows: t.menu.removeWarning },
  ];
}

export const DIALOGS = dialogsIn(en);

/** A service that could send reminders. */
export const REMINDING = {
  NTFY_URL: 'http://127.0.0.1:9',
  APPRISE_URL: 'http://127.0.0.1:9',
  MAIL_FROM: 'Steady <steady@example.com>',
};

/** Those that come with words of their own: of reminders, and of what others get in by. */
export function laterIn(t: PageTexts, words: LaterTexts): DialogWay[] {
  const more = t.row.more('Read');
  const settings = [t.settings.title, t.settings.reminders];
  return [
    { way: [more, t.menu.remind], shows: words.silent },
    { way: [more, t.menu.checkIn], shows: words.checkIn.name },
    { way: [t.list.newHabit], within: t.menu.remind, shows: words.silent },
    { way: [t.settings.title, t.account.title, t.account.apiTokens], shows: words.tokens.may },
    { way: [t.settings.title, t.account.title, t.account.calendars], shows: words.calendars.which },
    { way: [t.settings.title, t.account.title, 'Webhooks'], shows: words.webhooks.about },
    { way: settings, shows: words.where },
    { way: settings, within: words.byNtfy, shows: words.topic },
  ];
}

export const ACCOUNT = accountIn(en);

export async function openDialog(page: Page, { way, within, shows }: DialogWay): Promise<void> {
  for (const name of way) await page.getByRole('button', { name, exact: true }).click();
  const dialog = page.getByRole('dialog');
  if (within)
    await dialog
      .getByRole('radio', { name: within, exact: true })
      .or(dialog.locator('summary', { hasText: within }))
      .click();
  await dialog.getByText(shows).first().waitFor();
}

/** All that this device keeps of people, as text. */
export const keptOf = (page: Page): Promise<string> =>
  page.evaluate(async () => {
    const screens = await new Promise<unknown[]>((resolve, reject) => {
      const name = Object.keys(localStorage).find((key) => key.endsWith(':session')) ?? '';
      const request = indexedDB.open(name.replace(/session$/, ''));
      request.onerror = () => reject(request.error);
      request.onsuccess = () => {
        const reading = request.result.transaction('screens').objectStore('screens').getAll();
        reading.onsuccess = () => {
          request.result.close();
          resolve(reading.result);
        };
      };
    });
    return JSON.stringify([{ ...localStorage }, screens]);
  });

/** The service worker has the page. */
export const isKept = (page: Page) =>
  page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    while (!navigator.serviceWorker.controller)
      await new Promise((resolve) => navigator.serviceWorker.addEventListener('controllerchange', resolve));
  });

/** Comes between the page and the service where it asks for `field`, and counts how often it does. */
export async function intercept(
  context: BrowserContext,
  field: string,
  act: (route: Route, count: number) => unknown,
): Promise<{ count: number }> {
  const asked = { count: 0 };
  await context.route('**/graphql', async (route) => {
    if (!route.request().postData()?.includes(field)) return route.fallback();
    asked.count += 1;
    await act(route, asked.count);
  });
  return asked;
}

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
