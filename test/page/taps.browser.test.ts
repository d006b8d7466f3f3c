/// <reference lib="dom" />
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { intercept, Person, row, saved, stageForTests, tapOn } from '../support/page.js';
import { needs } from '../support/tools.js';

const stage = stageForTests();

const undoOf = (page: Page) => page.locator('.toast').getByRole('button', { name: 'Undo' });

/** Opens the page anew, until it hears of each change and has sent what waits. */
async function reopen(page: Page): Promise<void> {
  await page.goto('about:blank'); // else the connection of before may be taken for that of now
  const followed = new Promise<void>((resolve) =>
    page.on('websocket', (socket) =>
      socket.on('framereceived', ({ payload }) => {
        if (String(payload).includes('inForce')) resolve();
      }),
    ),
  );
  await page.goto(`${stage.base}/`);
  await followed;
}

describe('A tap', needs('Chromium'), () => {
  it('is shown on, though what was read of the taps before it is heard only after it', async () => {
    const ana = await Person.on(stage);
    await ana.hasTask('Swim');
    const { context, page } = await ana.opens();
    const answered = Promise.withResolvers<void>();
    const sent = await intercept(context, 'completeTasks', async (route) => {
      await answered.promise;
      await route.continue();
    });
    await page.evaluate(() => {
      const { prototype } = IDBObjectStore;
      const { getAll } = prototype;
      prototype.getAll = function (...given) {
        prototype.getAll = getAll;
        document.querySelector<HTMLElement>('.tap')?.click();
        return getAll.apply(this, given);
      };
      new BroadcastChannel('steady/page:taps').postMessage(null); // as of another window
    });
    await expect.poll(() => sent.count).toBe(1);
    expect(await tapOn(page, 'Swim').innerText()).toContain('saving');
    answered.resolve();
    await saved(page, 'Swim').waitFor();
  });

  it('is undone by the service when another window has sent it, and this one has not heard of it', async () => {
    const ana = await Person.on(stage);
    await ana.hasTask('Swim');
    const { context, page } = await ana.opens();
    await page.addInitScript(() => Reflect.deleteProperty(window, 'BroadcastChannel'));
    await page.clock.install();
    await reopen(page);
    await row(page, 'Swim').waitFor();
    await page.clock.pauseAt(Date.now() + 1_000); // no second attempt by itself
    const sent = await intercept(context, 'completeTasks', (route, count) =>
      count === 1 ? route.abort() : route.continue(),
    );
    await tapOn(page, 'Swim').press('Space');
    await expect.poll(() => sent.count).toBe(1);
    const other = await context.newPage();
    await other.goto(`${stage.base}/`);
    await saved(other, 'Swim').waitFor();
    await undoOf(page).click();
    await expect.poll(() => ana.completions()).toBe(0);
  });
});
