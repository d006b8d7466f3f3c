/// <reference lib="dom" />
import type { BrowserContext, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { pushBody } from '../../src/features/reminders/channels/push.js';
import { eventually } from '../support/eventually.js';
import {
  ACCOUNT,
  asks,
  dialogGone,
  isKept,
  journey,
  KEPT,
  newBrowser,
  openDialog,
  openStage,
  Person,
  PHONE,
  row,
  type Stage,
  saved,
} from '../support/page.js';
import { Browser, Receiver } from '../support/receivers.js';
import { has, needs } from '../support/tools.js';

const stage = {} as Stage;
const ntfy = new Receiver();

beforeAll(async () => {
  if (!has('Chromium')) return;
  await ntfy.listen();
  const settings = { NTFY_URL: ntfy.url, APPRISE_URL: ntfy.url, MAIL_FROM: 'Steady <steady@example.com>' };
  Object.assign(stage, await openStage(settings));
  return async () => {
    await stage.close();
    await ntfy.stop();
  };
});

const told = (page: Page, words: string) => page.locator('.notice', { hasText: words }).waitFor();

const WORKDAYS = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY'];
const WEEK = [...WORKDAYS, 'SATURDAY', 'SUNDAY'];

const openReminders = (page: Page) =>
  openDialog(page, { way: ['Settings', 'Reminders'], shows: 'Where reminders go' });

describe('Reminders', needs('Chromium'), () => {
  journey('are set for a habit in its menu and in its form, and lead to where they can go', async () => {
    const ana = await Person.on(stage);
    const id = await ana.hasTask('Read');
    const { page, faults } = await ana.opens({ viewport: PHONE });
    const dialog = page.getByRole('dialog');
    const times = async () =>
      (await ana.asks(`{ task(id: ${id}) { reminders { at weekdays } } }`)).task.reminders;

    await openDialog(page, { way: ['More about Read', 'Remind me'], shows: 'It is silent' });
    await dialog.getByLabel('Time', { exact: true }).fill('07:30');
    await dialog.getByLabel('Saturday').uncheck({ force: true });
    await dialog.getByLabel('Sunday').uncheck({ force: true });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await told(page, 'Choose where they go');
    await told(page, 'The reminders are saved.');
    await page.getByRole('heading', { name: 'Where reminders go' }).waitFor();
    expect(await times()).toEqual([{ at: '07:30', weekdays: WORKDAYS }]);
    await page.keyboard.press('Escape');
    await dialogGone(page);
    expect(await page.locator('.notice').count()).toBe(0);

    await openDialog(page, { way: ['More about Read', 'Edit'], within: 'Remind me', shows: 'It is silent' });
    expect(await dialog.locator('.notice').count()).toBe(0);
    expect(await dialog.getByLabel('Time', { exact: true }).inputValue()).toBe('07:30');
    await dialog.getByRole('button', { name: 'Another time' }).click();
    await dialog.getByLabel('Time', { exact: true }).nth(1).fill('19:00');
    for (const day of WORKDAYS) await dialog.getByLabel(new RegExp(day, 'i')).nth(1).uncheck({ force: true });
    await dialog.getByRole('button', { name: 'Remove this time' }).first().click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect.poll(times).toEqual([{ at: '19:00', weekdays: ['SATURDAY', 'SUNDAY'] }]);
    expect(faults).toEqual([]);
  });

  it('stay as they are where a form is saved before they were read', async () => {
    const ana = await Person.on(stage);
    const reminders = [{ at: '07:30', weekdays: WEEK }];
    const id = await ana.hasTask('Read', { reminders });
    const { page } = await ana.opens();
    const held = (body: string | null) => body?.includes('query TaskReminders') ?? false;
    await page.route('**/graphql', (route) => held(route.request().postData()) || route.fallback());
    await openDialog(page, { way: ['More about Read', 'Edit'], within: 'Remind me', shows: 'Loading' });
    await page.getByLabel('What do you want to do?').fill('Read more');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('Read more', { exact: true }).first().waitFor();
    const { task } = await ana.asks(`{ task(id: ${id}) { title reminders { at weekdays } } }`);
    expect(task).toEqual({ title: 'Read more', reminders });
  });

  it('are proposed for a first habit, sent to where the person is, once that is tried, and no more once it is removed', async () => {
    const ana = await Person.on(stage);
    const { page } = await ana.opens({ viewport: PHONE });
    const dialog = page.getByRole('dialog');
    const button = (name: string) => dialog.getByRole('button', { name, exact: true });
    await page.getByRole('button', { name: 'Read 10 pages' }).click();
    const proposal = page.locator('.notice', { hasText: 'Remind me of “Read 10 pages” at 08:00?' });
    await proposal.getByRole('button', { name: 'Remind me' }).click();
    await button('Save').click();
    await told(page, 'Choose where they go');
    const { tasks } = await ana.asks('{ tasks(first: 1) { nodes { reminders { at weekdays } } } }');
    expect(tasks.nodes).toEqual([{ reminders: [{ at: '08:00', weekdays: WEEK }] }]);

    await dialog.getByLabel('Remind me of what is left').fill('20:00');
    await button('Save').click();
    await eventually(async () => (await ana.asks('{ me { dayReminder } }')).me.dayReminder === '20:00');
    await dialog.locator('[aria-disabled="true"]').waitFor({ state: 'detached' }); // what was saved is shown
    await dialog.getByText('Remind me by ntfy').click();
    const topic = await dialog.getByLabel('Topic', { exact: true }).inputValue();
    expect(topic).toMatch(/^steady-[0-9a-f]{24}$/);
    await dialog.getByRole('img', { name: 'The topic as a QR code' }).waitFor();
    await told(page, 'nothing rings before that');
    await button('Add').click();
    await told(page, 'ntfy is added.');
    expect((await ana.asks('{ me { language } }')).me.language).toBe('EN'); // in which the service will write
    await row(page, 'ntfy').getByText('not tried yet').waitFor();
    expect(await dialog.getByLabel('Topic', { exact: true }).inputValue()).not.toBe(topic);
    await button('Test ntfy').click();
    await told(page, 'Sent to ntfy. Did it arrive?');
    expect(ntfy.taken.map(({ body }) => body.topic)).toEqual([topic]);
    await dialog.getByText('works · last sent').waitFor();
    await button('Remove ntfy').click();
    await button('Remove').click();
    await eventually(async () => (await ana.asks('{ me { channels { id } } }')).me.channels.length === 0);
  });
});

/** The browser has a new address at a push service when the page is opened next, of which there is none here. */
async function subscribes(context: BrowserContext): Promise<void> {
  const { endpoint, p256dh, auth } = new Browser('https://fcm.googleapis.com').input;
  const subscription = JSON.stringify({ endpoint, keys: { p256dh, auth } });
  await context.addInitScript(
    `PushManager.prototype.subscribe = async () => ({ toJSON: () => (${subscription}) })`,
  );
}

const NOTIFIED = { ...KEPT, viewport: PHONE, permissions: ['notifications'] };

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1';

describe('Notifications on this device', needs('Chromium'), () => {
  it('are asked for by a tap, and say in words what stands in their way', async () => {
    const { page } = await (await Person.on(stage)).opens({ viewport: PHONE, ...KEPT });
    const dialog = page.getByRole('dialog');
    const allow = dialog.getByRole('button', { name: 'Allow notifications' });
    const isSaid = async (script: string, words: string, isAsked = false) => {
      await page.evaluate(script);
      await openReminders(page);
      if (isAsked) await allow.click();
      await dialog.getByText(words).waitFor();
      await page.keyboard.press('Escape');
      await dialogGone(page);
    };
    const permission = (value: string) =>
      `Object.defineProperty(Notification, 'permission', { value: '${value}', configurable: true })`;
    const asked = (answer: string) => `Notification.requestPermission = async () => '${answer}'`;
    const phone = `Object.defineProperty(navigator, 'userAgent', { value: '${IPHONE}' })`;
    await isSaid(permission('denied'), 'Notifications are blocked for this page');
    await isSaid(`${permission('default')}; ${asked('default')}`, 'Notifications are not allowed yet', true);
    await isSaid(asked('granted'), 'The browser cannot reach its push service', true);
    await isSaid('delete window.PushManager', 'or not in a private window');
    await isSaid(phone, 'Add Steady to the Home Screen first');
  });

  it('come by the address that the browser has now, after a log-out elsewhere too, until the log-out', async () => {
    const ana = await Person.on(stage);
    const { context, page } = await newBrowser(stage, NOTIFIED);
    await ana.logsIn(page);
    const kept = (name: string) => page.evaluate((key) => localStorage.getItem(key), `steady/page:${name}`);
    const channels = async (token?: string): Promise<{ id: string; name: string }[]> => {
      const own = token ?? JSON.parse((await kept('session')) ?? '').token;
      return (await asks(stage.base, '{ me { channels { id name } } }', {}, own)).me.channels;
    };
    await subscribes(context);
    await page.reload();
    await openReminders(page);
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').first().fill('My phone');
    await dialog.getByRole('button', { name: 'Allow notifications' }).click();
    await row(page, 'My phone').getByText('this device').waitFor();
    const [first] = await channels();

    await subscribes(context);
    await page.reload();
    const isNew = async () => (await channels()).map(({ id, name }) => [name, id !== first?.id]);
    await expect.poll(isNew).toEqual([['My phone', true]]);
    const [second] = await channels();
    await openDialog(page, ACCOUNT);
    await dialog.getByRole('button', { name: 'Log out other devices' }).click();
    await dialog.getByRole('button', { name: 'Log them out' }).click();
    await eventually(async () => (await kept('channel')) !== second?.id);
    const [third, ...others] = await channels();
    expect([third, others]).toEqual([{ id: await kept('channel'), name: 'My phone' }, []]);

    await dialogGone(page);
    await openDialog(page, ACCOUNT);
    await page.getByRole('button', { name: 'Log out', exact: true }).click();
    await page.getByRole('button', { name: 'Log in', exact: true }).waitFor();
    const token = await ana.newToken(); // the first one has ended
    await eventually(async () => (await channels(token)).length === 0);
    expect(await kept('channel')).toBe('');
  });
});

/**
 * Happens to the worker of the page, with all that it does about it. A browser lets nobody but itself prolong an event,
 * and the hand of the person alone moves windows to the front.
 */
const happens = (context: BrowserContext, event: string) =>
  context.serviceWorkers()[0]?.evaluate(`(async () => {
    const event = ${event};
    let work;
    event.waitUntil = (promise) => { work = promise; };
    dispatchEvent(event);
    await work.catch((error) => { if (error.name !== 'InvalidAccessError') throw error; });
  })()`);

const shown = (page: Page) =>
  page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    const all = await registration.getNotifications();
    return all.map(({ title, icon }) => `${title} ${/icon-(.*)\.png/.exec(icon)?.[1]}`).sort();
  });

const isShown = (page: Page, ...titles: string[]) => expect.poll(() => shown(page)).toEqual(titles);

describe('A notification', needs('Chromium'), () => {
  journey('is one for a minute, completes its habit or leads to it, and goes when it is done', async () => {
    const ana = await Person.on(stage);
    const [read, swim] = [await ana.hasTask('Read'), await ana.hasTask('Swim')];
    const link = `mutation { createCheckInLink(taskId: ${read}, name: "Sticker") { url } }`;
    const { url } = (await ana.asks(link)).createCheckInLink;
    const { context, page } = await ana.opens(NOTIFIED);
    await isKept(page);
    const { today: day } = (await ana.asks('{ me { today } }')).me;
    const push = (title: string, ids: string[], more: object = {}) => {
      const data = pushBody({
        ...{ id: title, title, text: 'Your run is 3 days.', language: 'en', day, taskIds: ids.map(Number) },
        ...{ url: `https://habits.example.com/#task=${ids[0]}`, ...more },
      });
      return happens(context, `new PushEvent('push', { data: ${JSON.stringify(data)} })`);
    };
    const press = (title: string) => {
      const pressed = `(await registration.getNotifications()).find(({ title }) => title === '${title}')`;
      const options = `{ notification: ${pressed}, action: 'done' }`;
      return happens(context, `new NotificationEvent('notificationclick', ${options})`);
    };
    for (const _time of [1, 2]) await push('2 habits', [read, swim]);
    await push('Read', [read], { done: { url, label: 'Done' }, icon: '📖', colour: 'AMBER' });
    await isShown(page, '2 habits 512', '📖 Read amber');
    await press('📖 Read');
    expect(await ana.completions()).toBe(1);
    await saved(page, 'Read').waitFor();
    await isShown(page, '2 habits 512');

    await push('Swim', [swim], { done: { url: `${stage.base}/check-in/unknown`, label: 'Done' } });
    await isShown(page, '2 habits 512', 'Swim 512');
    await press('Swim'); // its link is good no more
    await page.getByRole('dialog').getByRole('heading', { name: 'Swim' }).waitFor();
    await isShown(page, '2 habits 512');
    expect(context.pages()).toEqual([page]);
    await ana.asks('mutation ($id: ID!) { completeTask(taskId: $id) { isReplayed } }', { id: swim });
    await isShown(page);
  });
});

describe('A check-in link', needs('Chromium'), () => {
  journey('is made in the menu of a habit, works where no account is known, and is revoked', async () => {
    const ana = await Person.on(stage);
    await ana.hasTask('Read');
    const { page } = await ana.opens({ viewport: PHONE });
    await openDialog(page, { way: ['More about Read', 'Check-in link'], shows: 'It can do nothing else' });
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Where is it used?').fill('Sticker');
    await dialog.getByRole('button', { name: 'Make a link' }).click();
    const address = dialog.getByLabel('Shown this once:');
    const url = await address.inputValue();
    await dialog.getByRole('img', { name: 'The address as a QR code' }).waitFor();
    const other = await newBrowser(stage);
    await other.page.goto(`${url}?ask`);
    await other.page.getByText('Not done yet today').waitFor(); // its script has run by then
    await other.page.getByRole('button', { name: 'Done' }).waitFor();
    expect(await ana.completions()).toBe(0);
    await other.page.goto(url);
    await saved(page, 'Read').waitFor({ state: 'attached' });
    expect(await ana.completions()).toBe(1);

    await page.keyboard.press('Escape');
    await openDialog(page, { way: ['More about Read', 'Check-in link'], shows: 'last used' });
    expect(await address.count()).toBe(0);
    await dialog.getByRole('button', { name: 'Revoke Sticker' }).click();
    await dialog.getByRole('button', { name: 'Revoke', exact: true }).click();
    await eventually(async () => (await fetch(url)).status === 404);
    await row(page, 'Sticker').waitFor({ state: 'detached' });
  });
});
