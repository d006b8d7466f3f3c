/// <reference lib="dom" />
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { encode } from 'uqr';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { pushBody } from '../../src/features/reminders/channels/push.js';
import { en } from '../../src/page/texts/en.js';
import { eventually } from '../support/eventually.js';
import {
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
  stageForTests,
  tapOn,
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

const quiet = stageForTests();

const told = (page: Page, words: string) => page.locator('.notice', { hasText: words }).waitFor();

const WORKDAYS = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY'];
const WEEK = [...WORKDAYS, 'SATURDAY', 'SUNDAY'];

interface Widths {
  text: number;
  circle: number;
}

/** They are those of the weekdays, chosen or not. */
const widths = (page: Page): Promise<Widths[]> =>
  page.locator('.weekdays span').evaluateAll((spans) =>
    spans.map((span) => {
      const range = document.createRange();
      range.selectNodeContents(span);
      return { text: range.getBoundingClientRect().width, circle: span.getBoundingClientRect().width };
    }),
  );

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
    const isRoomy = ({ text, circle }: Widths) => text + 8 < circle;
    expect((await widths(page)).every(isRoomy)).toBe(true);
    await dialog.getByRole('button', { name: 'Another time' }).click();
    await dialog.getByLabel('Time', { exact: true }).nth(1).fill('19:00');
    for (const day of WEEK) {
      const name = new RegExp(day, 'i');
      await dialog.getByLabel(name).nth(1).uncheck({ force: true });
    }
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Choose at least one day.').waitFor();
    await dialog.getByLabel('Sunday').nth(1).check({ force: true });
    await dialog.getByRole('button', { name: 'Remove this time' }).first().click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    const inTheEvening = JSON.stringify([{ at: '19:00', weekdays: ['SUNDAY'] }]);
    await eventually(async () => JSON.stringify(await times()) === inTheEvening);
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

  it('are proposed to whoever makes a first habit, on the page alone, until the next tap', async () => {
    const ana = await Person.on(stage);
    const { page } = await ana.opens({ viewport: PHONE });
    const dialog = page.getByRole('dialog');
    const proposal = page.locator('.notice', { hasText: 'Remind me of “Read 10 pages” at 08:00?' });
    await page.getByRole('button', { name: 'Read 10 pages' }).click();
    await proposal.waitFor();
    await page.getByRole('button', { name: 'More about Read 10 pages' }).click();
    await dialog.getByRole('button', { name: 'Remind me' }).click();
    await dialog.getByText('It is silent').waitFor();
    expect([await proposal.count(), await dialog.locator('.notice').count()]).toEqual([0, 0]);
    const ben = await Person.on(stage);
    const other = await ben.opens({ viewport: PHONE });
    await other.page.getByRole('button', { name: 'Read 10 pages' }).click();
    await other.page.locator('.notice').getByRole('button', { name: 'Remind me' }).click();
    await other.page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await told(other.page, 'Choose where they go');
    await other.page.getByRole('heading', { name: 'Where reminders go' }).waitFor();
    const { tasks } = await ben.asks('{ tasks(first: 1) { nodes { reminders { at weekdays } } } }');
    expect(tasks.nodes).toEqual([{ reminders: [{ at: '08:00', weekdays: WEEK }] }]);
  });

  it('are sent to where the person is, once that is tried, and no more once it is removed', async () => {
    const ana = await Person.on(stage);
    const { page } = await ana.opens({ viewport: PHONE });
    const dialog = page.getByRole('dialog');
    await openReminders(page);
    await dialog.getByLabel('Remind me of what is left').fill('20:00');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await eventually(async () => (await ana.asks('{ me { dayReminder } }')).me.dayReminder === '20:00');
    await dialog.locator('[aria-disabled="true"]').waitFor({ state: 'detached' }); // what was saved is shown

    await dialog.getByText('Remind me by ntfy').click();
    const topic = await dialog.getByLabel('Topic', { exact: true }).inputValue();
    expect(topic).toMatch(/^steady-[0-9a-f]{24}$/);
    await dialog.getByRole('img', { name: 'The topic as a QR code' }).waitFor();
    await told(page, 'nothing rings before that');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await told(page, 'ntfy is added.');
    expect((await ana.asks('{ me { language } }')).me.language).toBe('EN'); // in which the service will write
    await row(page, 'ntfy').getByText('not tried yet').waitFor();
    expect(await page.getByText('nothing rings before that').count()).toBe(0);
    const next = dialog.getByLabel('Topic', { exact: true });
    expect(await next.isVisible()).toBe(false);
    expect(await next.inputValue()).not.toBe(topic);
    await dialog.getByRole('button', { name: 'Test ntfy' }).click();
    await told(page, 'Sent to ntfy. Did it arrive?');
    expect(ntfy.taken.map(({ body }) => body.topic)).toEqual([topic]);
    await dialog.getByText('works · last sent').waitFor();

    ntfy.manner = 403;
    await dialog.getByRole('button', { name: 'Test ntfy' }).click();
    await told(page, 'It was not taken');
    await dialog.getByText('the last one did not arrive').waitFor();
    ntfy.manner = 200;

    await dialog.getByRole('button', { name: 'Remove ntfy' }).click();
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await eventually(async () => (await ana.asks('{ me { channels { id } } }')).me.channels.length === 0);
  });

  it('are read when the connection is back, and said to be waited for until then', async () => {
    const { context, page } = await (await Person.on(stage)).opens();
    await openReminders(page);
    await page.keyboard.press('Escape');
    await context.setOffline(true);
    await openDialog(page, { way: ['Settings', 'Reminders'], shows: 'There is no connection' });
    await context.setOffline(false);
    await page.getByRole('dialog').getByRole('heading', { name: 'Where reminders go' }).waitFor();
  });

  it('are offered nowhere by a service that can send nothing', async () => {
    const ana = await Person.on(quiet);
    await ana.hasTask('Read');
    const { page } = await ana.opens();
    await openDialog(page, { way: ['Settings'], shows: en.settings.vacation });
    expect(await page.getByRole('button', { name: 'Reminders' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await openDialog(page, { way: ['More about Read'], shows: 'Check-in link' });
    expect(await page.getByText('Remind me').count()).toBe(0);
    await openDialog(page, { way: ['Edit'], shows: en.form.more });
    expect(await page.getByText('Remind me').count()).toBe(0);
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

/** This device is one of the places where reminders go; they are shown. */
async function becomesAPlace(context: BrowserContext, page: Page): Promise<Locator> {
  await subscribes(context);
  await page.reload();
  await openReminders(page);
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').first().fill('My phone');
  await dialog.getByRole('button', { name: 'Allow notifications' }).click();
  await row(page, 'My phone').waitFor();
  return dialog;
}

const NOTIFIED = { ...KEPT, viewport: PHONE, permissions: ['notifications'] };

/** The browser says so of itself, and `script` runs in it before the page. */
async function obstacleIn(options: { userAgent?: string; script?: string; permissions?: string[] }) {
  const ana = await Person.on(stage);
  const { script, ...others } = options;
  const { context, page } = await ana.opens({ viewport: PHONE, ...KEPT, ...others });
  if (script) {
    await context.addInitScript(script);
    await page.reload();
  }
  await openReminders(page);
  return page.getByRole('dialog');
}

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1';

describe('Notifications on this device', needs('Chromium'), () => {
  it('are asked for by a tap, and say in words what stands in their way', async () => {
    const iPhone = await obstacleIn({ userAgent: IPHONE, script: 'delete window.PushManager' });
    await iPhone.getByText('Add Steady to the Home Screen first').waitFor();
    const firefox = await obstacleIn({ script: 'delete window.PushManager' });
    await firefox.getByText('or not in a private window').waitFor();
    const denied = await obstacleIn({
      script: "Object.defineProperty(Notification, 'permission', { value: 'denied' })",
    });
    await denied.getByText('Notifications are blocked for this page').waitFor();
    const unanswered = await obstacleIn({
      script: "Notification.requestPermission = async () => 'default'",
    });
    await unanswered.getByRole('button', { name: 'Allow notifications' }).click();
    await unanswered.getByText('Notifications are not allowed yet').waitFor();
    const unreached = await obstacleIn({ permissions: ['notifications'] });
    await unreached.getByRole('button', { name: 'Allow notifications' }).click();
    await unreached.getByText('The browser cannot reach its push service').waitFor();
  });

  it('come by the address that the browser has now, until somebody logs out', async () => {
    const ana = await Person.on(stage);
    const { context, page } = await newBrowser(stage, NOTIFIED);
    await ana.logsIn(page);
    const channels = async () => (await ana.asks('{ me { channels { id name } } }')).me.channels;
    const dialog = await becomesAPlace(context, page);
    await row(page, 'My phone').getByText('this device').waitFor();
    expect(await dialog.getByText('Remind me on this device').count()).toBe(0);
    const [first, ...others] = await channels();
    expect([first.name, others]).toEqual(['My phone', []]);

    await subscribes(context);
    await page.reload();
    await eventually(async () => (await channels())[0]?.id !== first.id && (await channels()).length === 1);
    expect(await channels()).toMatchObject([{ name: 'My phone' }]);

    await openDialog(page, { way: ['Settings', 'Account'], shows: 'Logged in' });
    await page.getByRole('button', { name: 'Log out', exact: true }).click();
    await page.getByRole('button', { name: 'Log in', exact: true }).waitFor();
    await eventually(async () => (await channels()).length === 0);
  });

  it('go on where the person logs out elsewhere, and end for who logs in after another', async () => {
    const [ana, ben] = [await Person.on(stage), await Person.on(stage)];
    const { context, page } = await newBrowser(stage, NOTIFIED);
    await ana.logsIn(page);
    const dialog = await becomesAPlace(context, page);
    const kept = (name: string) => page.evaluate((key) => localStorage.getItem(key), `steady/page:${name}`);
    const first = await kept('channel');
    await page.keyboard.press('Escape');
    await openDialog(page, { way: ['Settings', 'Account'], shows: 'Logged in' });
    await dialog.getByRole('button', { name: 'Log out other devices' }).click();
    await dialog.getByRole('button', { name: 'Log them out' }).click();
    await eventually(async () => (await kept('channel')) !== first);
    const { token } = JSON.parse((await kept('session')) ?? '');
    const channels = await asks(stage.base, '{ me { channels { id name } } }', {}, token);
    expect(channels.me.channels).toEqual([{ id: await kept('channel'), name: 'My phone' }]);

    await asks(stage.base, 'mutation { signOutEverywhere { token } }', {}, token);
    await page.getByRole('heading', { name: 'Please log in again' }).waitFor();
    await ben.logsIn(page);
    await eventually(async () => (await kept('channel')) === '');
  });

  it('end without a network too', async () => {
    const { context, page } = await (await Person.on(stage)).opens(KEPT);
    await page.evaluate(() => localStorage.setItem('steady/page:channel', '7'));
    await isKept(page);
    await context.setOffline(true);
    await openDialog(page, { way: ['Settings', 'Account'], shows: 'Logged in' });
    await page.getByRole('button', { name: 'Log out', exact: true }).click();
    await eventually(() => page.evaluate(() => localStorage.getItem('steady/page:channel') === ''));
  });
});

/** Brings a message to the worker of the page, as a push service does. */
async function pushes(context: BrowserContext, page: Page): Promise<(data: string) => Promise<void>> {
  const devtools = await context.newCDPSession(page);
  const registered = new Promise<string>((resolve) => {
    devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [found] = registrations;
      if (found) resolve(found.registrationId);
    });
  });
  await devtools.send('ServiceWorker.enable');
  const registrationId = await registered;
  const { origin } = new URL(page.url());
  return async (data) => {
    await devtools.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data });
  };
}

/**
 * The worker presses the notification with this title, and waits for all that is done about it. A browser lets
 * nobody but itself prolong an event, and the hand of the person alone moves windows to the front.
 */
const pressed = (title: string, action: string) => `(async () => {
  const notification = (await registration.getNotifications()).find((each) => each.title === '${title}');
  const event = new NotificationEvent('notificationclick', { notification, action: '${action}' });
  let work;
  event.waitUntil = (promise) => { work = promise; };
  dispatchEvent(event);
  await work.catch((error) => { if (error.name !== 'InvalidAccessError') throw error; });
})()`;

async function press(context: BrowserContext, title: string, action = ''): Promise<void> {
  const [worker] = context.serviceWorkers();
  await worker?.evaluate(pressed(title, action));
}

const shown = (page: Page) =>
  page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    return (await registration.getNotifications()).map(({ title }) => title).sort();
  });

const icons = (page: Page) =>
  page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    return (await registration.getNotifications()).map(({ icon }) => icon);
  });

const isShown = (page: Page, ...titles: string[]) =>
  eventually(async () => (await shown(page)).join() === titles.join());

/** Somebody with two habits, whose browser shows notifications. */
async function rung() {
  const ana = await Person.on(stage);
  const ids = { read: await ana.hasTask('Read'), swim: await ana.hasTask('Swim') };
  const { context, page } = await ana.opens(NOTIFIED);
  await isKept(page);
  const deliver = await pushes(context, page);
  /** Once more where the worker was replaced meanwhile: what comes then is lost. */
  const push = (data: string) =>
    eventually(async () => {
      await deliver(data);
      const isThere = async () => (await shown(page)).includes(JSON.parse(data).notification.title);
      return vi.waitUntil(isThere, { timeout: 5_000 }).catch(() => false);
    });
  const { today: day } = (await ana.asks('{ me { today } }')).me;
  const body = (title: string, names: (keyof typeof ids)[], more: object = {}) =>
    pushBody({
      ...{ id: title, title, text: 'Your run is 3 days.', language: 'en', day },
      ...{
        taskIds: names.map((name) => Number(ids[name])),
        url: `https://habits.example.com/#task=${ids[names[0] ?? 'read']}`,
      },
      ...more,
    });
  return { ana, ids, context, page, push, body };
}

describe('A notification', needs('Chromium'), () => {
  journey('has the icon and the colour of its habit, completes it by its button, and goes then', async () => {
    const { ana, ids, context, page, push, body } = await rung();
    const { createCheckInLink } = await ana.asks(
      `mutation { createCheckInLink(taskId: ${ids.read}, name: "Sticker") { url } }`,
    );
    const done = { url: createCheckInLink.url, label: 'Done' };
    await push(body('Read', ['read'], { done, icon: '📖', colour: 'AMBER' }));
    await isShown(page, '📖 Read');
    const [picture = ''] = await icons(page);
    expect(picture).toBe(`${stage.base}/page/icon-amber.png`);
    expect((await fetch(picture)).headers.get('content-type')).toBe('image/png');
    await press(context, '📖 Read', 'done');
    expect(await ana.completions()).toBe(1);
    await saved(page, 'Read').waitFor();
    await isShown(page);
  });

  it('is one for a minute, however often it comes, and goes when all that it names is done elsewhere', async () => {
    const { ana, ids, page, push, body } = await rung();
    const second = await page.context().newPage();
    await second.goto(page.url());
    await second.locator('.today h2').waitFor();
    for (const _time of [1, 2]) await push(body('2 habits', ['read', 'swim']));
    await isShown(page, '2 habits');
    const { page: other } = await ana.opens();
    await tapOn(other, 'Read').click();
    await saved(page, 'Read').waitFor();
    await push(body('Swim', ['swim']));
    await isShown(page, '2 habits', 'Swim');
    await tapOn(other, 'Swim').click();
    await isShown(second);
    expect(await ana.asks(`{ task(id: ${ids.read}) { today { state } } }`)).toEqual({
      task: { today: { state: 'KEPT' } },
    });
  });

  it('opens its habit by a tap, in the window that is open', async () => {
    const { context, page, push, body } = await rung();
    await push(body('Swim', ['swim']));
    await isShown(page, 'Swim');
    await press(context, 'Swim');
    await page.getByRole('dialog').getByRole('heading', { name: 'Swim' }).waitFor();
    await isShown(page);
    expect(context.pages()).toEqual([page]);
  });

  it('leads to its habit when the page was closed, and to the page where its link is good no more', async () => {
    const { context, page, push, body, ids } = await rung();
    await push(body('Swim', ['swim'], { done: { url: `${stage.base}/check-in/unknown`, label: 'Done' } }));
    await isShown(page, 'Swim');
    await press(context, 'Swim', 'done');
    await page.getByRole('dialog').getByRole('heading', { name: 'Swim' }).waitFor();
    await page.goto('about:blank');
    await page.goto(`${stage.base}/#task=${ids.read}`);
    await page.getByRole('dialog').getByRole('heading', { name: 'Read' }).waitFor();
  });
});

/** They are dark. */
const squaresOf = (text: string) =>
  encode(text, { border: 4 })
    .data.flatMap((line, y) => line.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
    .join('');

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
    const code = dialog.getByRole('img', { name: 'The address as a QR code' });
    expect(await code.locator('path').getAttribute('d')).toBe(squaresOf(url));
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
