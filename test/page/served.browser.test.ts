/// <reference lib="dom" />
import { describe, expect, it } from 'vitest';
import {
  ACCOUNT,
  asks,
  DIALOGS,
  dialogGone,
  fillPasswords,
  isKept,
  journey,
  KEPT,
  keptOf,
  newBrowser,
  openDialog,
  Person,
  PHONE,
  row,
  saved,
  stageForTests,
  tapOn,
} from '../support/page.js';
import { needs } from '../support/tools.js';

const stage = stageForTests({ PUBLIC_URL: 'https://a.example/habits' });

describe('The page, below a public path', needs('Chromium'), () => {
  journey('leads from nothing to a done habit in four inputs, in days of the browser’s zone', async () => {
    const { page, faults } = await newBrowser(stage, { viewport: PHONE });
    await page.getByLabel('Name').fill('Ana');
    await page.getByLabel('E-mail').fill('ana@example.org');
    const password = page.getByLabel('Password');
    await password.fill('one step a day');
    await page.getByRole('button', { name: 'Show' }).click();
    expect(await password.getAttribute('type')).toBe('text');
    await page.getByRole('button', { name: 'Sign up', exact: true }).click();
    await expect.poll(() => page.locator('.starter').count()).toBe(12);
    expect(await page.locator('.aside > *').count()).toBe(0);
    await page.locator('.starter', { hasText: 'Read 10 pages' }).evaluate((starter: HTMLButtonElement) => {
      for (const _time of [1, 2]) starter.click(); // and makes it once
    });
    await tapOn(page, 'Read 10 pages').click();
    await saved(page, 'Read 10 pages').waitFor();
    await row(page, 'Read 10 pages').getByText('1 day in a row').waitFor();
    await page.getByRole('button', { name: 'Settings' }).click();
    expect(await page.getByLabel('Time zone').inputValue()).toBe('Europe/Berlin');
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'The year' }).waitFor();
    await page.getByRole('button', { name: 'New habit' }).click();
    await page.getByText('Ideas').click();
    await page.getByRole('button', { name: 'Water the plants' }).click();
    await row(page, 'Water the plants').getByText('every 3 days').waitFor();
    await dialogGone(page);
    expect(faults).toEqual([]);
  });

  journey('weighs at most 35 kB for the first list, as it is sent, and 64 kB in all it keeps', async () => {
    const ana = await Person.on(stage);
    await ana.hasTask('Read', { target: { amount: 20, unit: 'pages' } });
    const id = await ana.hasTask('Swim');
    await ana.asks('mutation ($id: ID!) { completeTask(taskId: $id) { isReplayed } }', { id });
    const { context, page } = await ana.opens({ ...KEPT, viewport: PHONE }); // a desk has the board beside the list
    const loaded = () =>
      page.evaluate(() => {
        const entries = ['navigation', 'resource'].flatMap((type) => performance.getEntriesByType(type));
        return entries.map(({ name }) => name).filter((name) => !name.endsWith('graphql'));
      });
    const weigh = async (addresses: string[]) => {
      let sum = 0;
      for (const address of new Set(addresses)) {
        const { headers } = await fetch(address, { headers: { 'accept-encoding': 'gzip, deflate, br' } });
        sum += Number(headers.get('content-length') ?? Number.NaN); // as it is sent
      }
      return sum;
    };
    await page.locator('.heatmap').waitFor(); // the year comes after the list, and brings nothing else along
    const first = (await loaded()).filter((name) => !name.includes('/heatmap-'));
    expect(first.length).toBeGreaterThan(3);
    expect(await weigh(first)).toBeLessThanOrEqual(35_000);
    for (const dialog of DIALOGS) {
      await openDialog(page, dialog);
      await page.keyboard.press('Escape');
      await dialogGone(page);
    }
    await isKept(page);
    const kept = await page.evaluate(async () => {
      const [name = ''] = await caches.keys();
      return (await (await caches.open(name)).keys()).map(({ url }) => url);
    });
    expect(kept.length).toBeGreaterThan(3);
    const workers = context.serviceWorkers().map((worker) => worker.url());
    expect(await weigh([...(await loaded()), ...kept, ...workers])).toBeLessThanOrEqual(64_000);
  });

  journey('offers to undo for four seconds, for eight to who uses keys, and by another tap', async () => {
    const ana = await Person.on(stage);
    await ana.hasTask('Swim');
    const { page } = await ana.opens();
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 1_000);
    await tapOn(page, 'Swim').press('Space');
    await page.locator('.toast').getByText('Swim: saved').waitFor();
    await page.clock.runFor(7_500);
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
    await page.locator('.toast').waitFor({ state: 'detached' });
    await saved(page, 'Swim').waitFor({ state: 'detached' });
    expect(await ana.completions()).toBe(0);
    await tapOn(page, 'Swim').click();
    await row(page, 'Swim').getByText('saved').waitFor();
    await page.clock.runFor(4_500);
    await page.locator('.toast').waitFor({ state: 'detached' });
    await saved(page, 'Swim').waitFor();
    await tapOn(page, 'Swim').click();
    await expect.poll(() => ana.completions()).toBe(0);
    await saved(page, 'Swim').waitFor({ state: 'detached' });
  });

  it('works where the browser keeps nothing and locks nothing, and says so', async () => {
    const ana = await Person.on(stage);
    await ana.hasTask('Swim', { target: { amount: 9, unit: 'lengths' } });
    const { context, page, faults } = await newBrowser(stage);
    await page.addInitScript(() => {
      const refuse = () => {
        throw new DOMException('Denied', 'SecurityError');
      };
      for (const name of ['localStorage', 'indexedDB', 'BroadcastChannel'])
        Object.defineProperty(window, name, { get: refuse });
      LockManager.prototype.request = async () => refuse();
    });
    await page.reload();
    await ana.logsIn(page);
    await page.getByText('what is not saved is lost when this page is closed').waitFor();
    await page.getByText('You log in each time.').waitFor();
    await tapOn(page, 'Swim').click();
    await saved(page, 'Swim').getByText('1 of 9 lengths').waitFor();
    await context.setOffline(true);
    await tapOn(page, 'Swim').click();
    await context.setOffline(false);
    await saved(page, 'Swim').getByText('2 of 9 lengths').waitFor();
    expect(await ana.completions()).toBe(2);
    expect(faults.filter((fault) => !fault.includes('net::ERR'))).toEqual([]);
  });

  it('ends all other log-ins with a new password where the person wants that, and its own in all its windows', async () => {
    const [ana, bea] = [await Person.on(stage), await Person.on(stage)];
    await ana.hasTask('Swim');
    const { page } = await ana.opens();
    const other = await ana.opens();
    await expect.poll(() => keptOf(other.page)).toMatch(/Ana.*Swim|Swim.*Ana/);
    await openDialog(page, ACCOUNT);
    await fillPasswords(page, 'one step a day', 'two steps a day');
    await page.getByLabel('Log out other devices').check();
    await page.getByRole('button', { name: 'Set the password' }).click();
    await dialogGone(page);
    await other.page.getByRole('heading', { name: 'Please log in again' }).waitFor(); // told by its connection
    await expect.poll(() => keptOf(other.page)).not.toMatch(/Ana|Swim|@/);
    expect(await other.page.content()).not.toContain('Swim');
    await page.getByRole('heading', { name: 'Today' }).waitFor();

    const second = await page.context().newPage();
    await second.goto(`${stage.base}/`);
    await row(second, 'Swim').waitFor();
    const token = await page.evaluate(
      () => JSON.parse(localStorage.getItem('steady/habits/page:session') ?? '{}').token,
    );
    await openDialog(page, ACCOUNT);
    await page.getByRole('button', { name: 'Log out', exact: true }).click();
    for (const window of [page, second])
      await window.getByRole('heading', { name: 'Welcome back' }).waitFor();
    await expect.poll(() => asks(stage.base, '{ me { id } }', {}, token).catch(() => 'ended')).toBe('ended');
    await expect.poll(() => keptOf(second)).not.toMatch(/Ana|Swim|@/);
    await bea.logsIn(second);
    await page.getByText('Nothing here yet.').waitFor(); // of Bea
    expect(await page.content()).not.toContain('Swim');
  });
});
