/// <reference lib="dom" />
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express, { type RequestHandler } from 'express';
import { describe, expect, it, onTestFinished } from 'vitest';
import { pageLeft, page as servedPage } from '../../src/page/page.js';
import {
  ACCOUNT,
  isKept,
  journey,
  KEPT,
  openDialog,
  Person,
  row,
  saved,
  stageForTests,
  tapOn,
  waiting,
} from '../support/page.js';
import { needs } from '../support/tools.js';

const stage = stageForTests();

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
    await context.serviceWorkers()[0]?.evaluate(() => {
      caches.match = async () => {
        throw new DOMException('Damaged', 'UnknownError');
      };
    });
    await page.reload(); // from the network where what is kept is damaged
    await saved(page, 'Swim').waitFor();
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

  journey('a day begins all the same, and what another version has kept is not shown', async () => {
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
    await page.evaluate(async () => {
      const opening = indexedDB.open('steady/page:');
      await new Promise((resolve) => opening.addEventListener('success', resolve));
      const transaction = opening.result.transaction('screens', 'readwrite');
      const reading = transaction.objectStore('screens').openCursor();
      reading.onsuccess = () => reading.result?.update({ ...reading.result.value, shape: '{ me }' });
      await new Promise((resolve) => transaction.addEventListener('complete', resolve));
      opening.result.close();
    });
    await page.reload();
    await page.getByText('There is no connection to the service.').waitFor();
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

  it('what is too long ago is not counted before the person has said so, once for all of it', async () => {
    const ana = await Person.on(stage);
    const target = { amount: 9, unit: 'times' };
    for (const title of ['Swim', 'Read']) await ana.hasTask(title, { target });
    const { context, page } = await ana.opens();
    await page.waitForLoadState('networkidle'); // an answer would tell that the clock is wrong
    await context.setOffline(true);
    await page.clock.setSystemTime(Date.now() - 21 * 24 * 3_600_000);
    for (const title of ['Swim', 'Read', 'Swim']) await tapOn(page, title).click();
    await expect.poll(() => waiting(page)).toBe(3);
    await page.clock.setSystemTime(Date.now());
    await context.setOffline(false);
    const question = page.getByRole('group', { name: 'Refused: 3 taps' });
    await question.getByText('Shall it count for today?').waitFor();
    expect(await question.locator('strong').allInnerTexts()).toEqual(['Swim', 'Read', 'Swim']);
    expect(await ana.completions()).toBe(0);
    await question.getByRole('button', { name: 'Count them today' }).click();
    await saved(page, 'Swim').getByText('2 of 9 times').waitFor();
    await question.waitFor({ state: 'detached' });
    await expect.poll(() => ana.completions()).toBe(3);
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
      const session = JSON.parse(localStorage.getItem('steady/page:session') ?? '');
      localStorage.setItem('steady/page:session', JSON.stringify({ ...session, token: 'x' }));
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
