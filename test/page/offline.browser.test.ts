/// <reference lib="dom" />
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express, { type RequestHandler } from 'express';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Screen } from '../../src/page/client/sync/types.js';
import { pageLeft, page as servedPage } from '../../src/page/page.js';
import {
  ACCOUNT,
  intercept,
  isKept,
  journey,
  KEPT,
  losingTheFirstAnswer,
  newBrowser,
  openDialog,
  Person,
  row,
  saved,
  stageForTests,
  tapOn,
  waiting,
} from '../support/page.js';
import { needs } from '../support/tools.js';

const stage = stageForTests({ BACKDATE_HOURS: '48' });

describe('Without a network', needs('Chromium'), () => {
  journey('the page opens, and twenty taps are counted exactly twenty times, from two windows', async () => {
    const ana = await Person.on(stage);
    await ana.hasTask('Swim', { target: { amount: 30, unit: 'lengths' } });
    const { context, page } = await ana.opens(KEPT);
    await row(page, 'Swim').waitFor();
    await isKept(page);
    await context.setOffline(true);
    for (let count = 1; count <= 20; count += 1) await tapOn(page, 'Swim').click();
    await row(page, 'Swim').getByText('20 waiting for the network').waitFor();
    await page.locator('.notice').getByText('20 taps waiting for the network').waitFor();
    await expect.poll(() => waiting(page)).toBe(20);
    await page.reload();
    await row(page, 'Swim').getByText('20 waiting for the network').waitFor();
    const second = await context.newPage();
    await second.goto(`${stage.base}/`);
    await row(second, 'Swim').getByText('20 waiting for the network').waitFor();
    expect(await ana.completions()).toBe(0);
    await context.setOffline(false);
    for (const window of [page, second]) await saved(window, 'Swim').getByText('20 of 30 lengths').waitFor();
    expect(await ana.completions()).toBe(20);
    await expect.poll(() => waiting(page)).toBe(0);
  });

  it('what another version of the page has kept is not shown', async () => {
    const ana = await Person.on(stage);
    await ana.hasTask('Swim');
    const { context, page, faults } = await ana.opens(KEPT);
    await row(page, 'Swim').waitFor();
    await isKept(page);
    await context.setOffline(true);
    await page.reload();
    await row(page, 'Swim').waitFor(); // of this version
    await page.evaluate(
      () =>
        new Promise<void>((resolve) => {
          const opening = indexedDB.open('steady/page:');
          opening.onsuccess = () => {
            const transaction = opening.result.transaction('screens', 'readwrite');
            const screens = transaction.objectStore('screens');
            screens.getAll().onsuccess = (event) => {
              const [{ screen }] = (event.target as IDBRequest<{ screen: Screen }[]>).result as [
                { screen: Screen },
              ];
              const { user, tasks } = screen;
              screens.put({ user, tasks }, user.id); // before habits could be put away
            };
            transaction.oncomplete = () => {
              opening.result.close();
              resolve();
            };
          };
        }),
    );
    await page.reload();
    await page.getByText('There is no connection to the service.').waitFor();
    await context.setOffline(false);
    await row(page, 'Swim').waitFor();
    expect(faults.filter((fault) => !fault.includes('net::ERR'))).toEqual([]);
  });

  it('the page opens from the network where what is kept is damaged', async () => {
    const { page, context } = await newBrowser(stage, KEPT);
    await isKept(page);
    await context.serviceWorkers()[0]?.evaluate(() => {
      caches.match = async () => {
        throw new DOMException('Damaged', 'UnknownError');
      };
    });
    await page.reload();
    await page.getByRole('heading', { name: 'A little, every day' }).waitFor();
  });

  it('the page goes from the devices that keep it where UI is off', async () => {
    const context = await stage.browser.newContext();
    let served: RequestHandler = servedPage({ publicPath: '', signUp: 'open', backdateHours: 168 });
    const server = express()
      .use((request, response, next) => served(request, response, next))
      .listen(0, '127.0.0.1');
    onTestFinished(async () => {
      await context.close();
      server.close();
    });
    await once(server, 'listening');
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await isKept(page);
    served = pageLeft();
    await page.reload(); // from what is kept
    await page.getByText('Cannot GET /').waitFor();
    const left = await page.evaluate(async () => [
      (await navigator.serviceWorker.getRegistrations()).length,
      (await caches.keys()).length,
    ]);
    expect(left).toEqual([0, 0]);
  });

  journey('a day begins all the same', async () => {
    const ana = await Person.on(stage);
    await ana.hasTask('Swim');
    const { context, page } = await ana.opens(KEPT);
    await isKept(page);
    await page.clock.install();
    await page.reload(); // with the clock that can be moved
    await tapOn(page, 'Swim').click();
    await saved(page, 'Swim').waitFor();
    await context.setOffline(true);
    await page.locator('.notice').waitFor();
    await page.clock.fastForward(24 * 3_600_000);
    await saved(page, 'Swim').waitFor({ state: 'detached' });
    await page.locator('.card-head').getByText('0 of 1 done').waitFor();
  });

  journey('a tap is counted once when its answer is lost, for the time at which it was made', async () => {
    const ana = await Person.on(stage);
    await ana.hasTask('Swim');
    const { context, page } = await ana.opens();
    await row(page, 'Swim').waitFor();
    const sent = await intercept(context, 'completeTasks', losingTheFirstAnswer);
    const before = Date.now();
    await tapOn(page, 'Swim').click();
    await saved(page, 'Swim').waitFor();
    expect(sent.count).toBe(2);
    const { completions } = await ana.asks('{ completions { totalCount nodes { completedAt recordedAt } } }');
    expect(completions.totalCount).toBe(1);
    const done = Date.parse(completions.nodes[0].completedAt);
    expect(done).toBeGreaterThanOrEqual(before);
    expect(done).toBeLessThan(Date.parse(completions.nodes[0].recordedAt));
  });

  it('a habit that is tapped on two devices, which know nothing of each other, is done once', async () => {
    const ana = await Person.on(stage);
    await ana.hasTask('Gym');
    const devices = [await ana.opens(), await ana.opens()];
    for (const { page } of devices) await row(page, 'Gym').waitFor();
    for (const { context, page } of devices) {
      await context.setOffline(true);
      await tapOn(page, 'Gym').click();
      await row(page, 'Gym').locator('.waiting').first().waitFor();
    }
    await Promise.all(devices.map(({ context }) => context.setOffline(false)));
    for (const { page } of devices) await saved(page, 'Gym').waitFor();
    await Promise.all(devices.map(({ page }) => expect.poll(() => waiting(page)).toBe(0)));
    expect(await ana.completions()).toBe(1);
    const [{ page }] = devices as [(typeof devices)[0]];
    await tapOn(page, 'Gym').click(); // what is done is taken back, whoever has done it
    await expect.poll(() => ana.completions()).toBe(0);
  });

  it('a tap that is undone before anybody knows of another device leaves what that has done', async () => {
    const ana = await Person.on(stage);
    const gym = await ana.hasTask('Gym');
    const { context, page } = await ana.opens();
    await row(page, 'Gym').waitFor();
    const held = Promise.withResolvers<void>();
    const sent = await intercept(context, 'completeTasks', async (route, count) => {
      if (count === 1) await ana.asks(`mutation { completeTask(taskId: ${gym}) { isReplayed } }`);
      await held.promise;
      await route.continue();
    });
    await tapOn(page, 'Gym').click();
    await expect.poll(() => sent.count).toBe(1);
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
    held.resolve();
    await expect.poll(() => waiting(page)).toBe(0);
    await saved(page, 'Gym').waitFor();
    expect(await ana.completions()).toBe(1);
  });

  it('a tap after one that was undone counts, though nobody knew what had become of that', async () => {
    const ana = await Person.on(stage);
    await ana.hasTask('Gym');
    const { context, page } = await ana.opens();
    await row(page, 'Gym').waitFor();
    await intercept(context, 'completeTasks', async (route, count) => {
      if (count > 1) return route.continue();
      await route.fetch();
      await context.setOffline(true);
      await route.abort();
    });
    await tapOn(page, 'Gym').click();
    await page.locator('.offline').first().waitFor();
    expect(await ana.completions()).toBe(1);
    await tapOn(page, 'Gym').click();
    await expect.poll(() => tapOn(page, 'Gym').getAttribute('aria-pressed')).toBe('false');
    await tapOn(page, 'Gym').click();
    await expect.poll(() => waiting(page)).toBe(2);
    await context.setOffline(false);
    await expect.poll(() => waiting(page)).toBe(0);
    await saved(page, 'Gym').waitFor();
    expect(await ana.completions()).toBe(1);
  });

  it('a tap counts, though the page is left at once', async () => {
    const ana = await Person.on(stage);
    await ana.hasTask('Swim', { target: { amount: 9, unit: 'lengths' } });
    const { context, page } = await ana.opens();
    const other = await context.newPage(); // with it, writing to the disk takes longer
    await other.goto(page.url());
    for (let count = 1; count <= 4; count += 1) {
      await row(page, 'Swim').waitFor();
      await tapOn(page, 'Swim').click();
      await page.reload();
    }
    await expect.poll(() => ana.completions()).toBe(4);
  });

  it('a habit that is filled in anew is another one, also when the answer to the first was lost', async () => {
    const ana = await Person.on(stage);
    const { context, page } = await ana.opens();
    const fillIn = async () => {
      await page.getByRole('button', { name: 'New habit' }).click();
      await page.getByLabel('What do you want to do?').fill('Swim');
      await page.getByRole('button', { name: 'Save' }).click();
    };
    await intercept(context, 'createTask', losingTheFirstAnswer);
    await fillIn();
    await page.getByRole('alert').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await fillIn();
    await row(page, 'Swim').nth(1).waitFor();
    const { tasks } = await ana.asks('{ tasks { totalCount } }');
    expect(tasks.totalCount).toBe(2);
  });

  it('what is too long ago is not counted before the person has said so, once for all of it', async () => {
    const ana = await Person.on(stage);
    const target = { amount: 9, unit: 'times' };
    for (const title of ['Swim', 'Read']) await ana.hasTask(title, { target });
    const { context, page } = await ana.opens();
    await row(page, 'Swim').waitFor();
    await page.waitForLoadState('networkidle');
    const underWay = new Set<object>();
    page.on('request', (request) => underWay.add(request));
    for (const over of ['requestfinished', 'requestfailed'] as const)
      page.on(over as 'requestfinished', (request) => underWay.delete(request));
    const tapLate = async (...titles: string[]) => {
      await expect.poll(() => underWay.size).toBe(0); // an answer would tell that the clock is wrong
      await context.setOffline(true);
      await page.clock.setSystemTime(Date.now() - 50 * 3_600_000);
      for (const title of titles) await tapOn(page, title).click();
      await expect.poll(() => waiting(page)).toBe(titles.length);
      await page.clock.setSystemTime(Date.now());
      await context.setOffline(false);
    };
    await tapLate('Swim', 'Read', 'Swim');
    const question = page.getByRole('group', { name: 'Refused: 3 taps' });
    await question.getByText('Shall it count for today?').waitFor();
    expect(await question.locator('strong').allInnerTexts()).toEqual(['Swim', 'Read', 'Swim']);
    await row(page, 'Read').getByText('refused').waitFor();
    expect(await ana.completions()).toBe(0);
    await question.getByRole('button', { name: 'Count them today' }).focus();
    await page.keyboard.press('Enter');
    await saved(page, 'Swim').getByText('2 of 9 times').waitFor();
    await question.waitFor({ state: 'detached' });
    await expect.poll(() => ana.completions()).toBe(3);

    await tapLate('Swim', 'Read');
    await page.getByRole('button', { name: 'Forget them' }).click();
    await expect.poll(() => waiting(page)).toBe(0);
    await tapLate('Read');
    const single = page.getByRole('group', { name: 'Refused: Read' });
    await single.getByRole('button', { name: 'Count it today' }).click();
    await saved(page, 'Read').getByText('2 of 9 times').waitFor();
    expect(await ana.completions()).toBe(4);
  });

  journey('taps wait for their own user: for a new log-in, and not for another account', async () => {
    const [ana, bea] = [await Person.on(stage), await Person.on(stage)];
    await ana.hasTask('Swim');
    await bea.hasTask('Read');
    const { context, page } = await ana.opens(KEPT);
    await isKept(page);
    await context.setOffline(true);
    await tapOn(page, 'Swim').click();
    await row(page, 'Swim').getByText('waiting for the network').waitFor();
    // The token ends meanwhile.
    await page.evaluate(() => {
      const key = 'steady/page:session';
      localStorage.setItem(
        key,
        JSON.stringify({ ...JSON.parse(localStorage.getItem(key) ?? ''), token: 'x' }),
      );
    });
    await page.reload();
    await context.setOffline(false);
    await page.getByText('1 tap waiting on this device').waitFor();
    await page.getByRole('button', { name: 'Use another account' }).click();
    await bea.logsIn(page);
    await tapOn(page, 'Read').click();
    await saved(page, 'Read').waitFor();
    expect([await ana.completions(), await bea.completions()]).toEqual([0, 1]);
    await openDialog(page, ACCOUNT);
    await page.getByRole('button', { name: 'Log out', exact: true }).click();
    await ana.logsIn(page);
    await saved(page, 'Swim').waitFor();
    expect([await ana.completions(), await bea.completions()]).toEqual([1, 1]);
  });
});
