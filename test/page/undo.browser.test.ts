/// <reference lib="dom" />
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { withHabits } from '../support/habits.js';
import { intercept, journey, row, saved, stageForTests, tapOn } from '../support/page.js';
import { needs } from '../support/tools.js';

const stage = stageForTests();

const LENGTHS = { target: { amount: 9, unit: 'lengths' } };

const drawn = (page: Page) =>
  page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));

/** With news that the page hears only when they are let through. */
async function withNewsHeld(habit: object = {}) {
  const opened = await withHabits(stage, { Swim: habit });
  const { page } = opened;
  await page.goto('about:blank');
  const held: string[] = [];
  const inForce = Promise.withResolvers<void>();
  let letThrough = (_message: string) => {};
  await page.routeWebSocket('**/graphql', (socket) => {
    letThrough = (message) => socket.send(message);
    socket.connectToServer().onMessage((message) => {
      const text = String(message);
      if (text.includes('progressChanged')) held.push(text);
      else socket.send(message);
      if (text.includes('inForce')) inForce.resolve();
    });
  });
  const read = Promise.withResolvers<void>();
  await intercept(opened.context, 'FirstScreen', async (route, count) => {
    await route.continue();
    if (count === 2) read.resolve(); // as soon as it is connected
  });
  await page.goto(`${stage.base}/`);
  await inForce.promise;
  await read.promise;
  await tapOn(page, 'Swim').focus();
  const hears = async (count: number) => {
    for (const message of held.splice(0, count)) letThrough(message);
    await drawn(page);
  };
  return { ...opened, held, hears };
}

describe('An undo', needs('Chromium'), () => {
  journey('by its key takes back what was done last, whatever older news are heard meanwhile', async () => {
    const { page, ana, held, hears } = await withNewsHeld();
    const { keyboard } = page;
    await keyboard.press('Space');
    await saved(page, 'Swim').waitFor();
    await keyboard.press('Space');
    await saved(page, 'Swim').waitFor({ state: 'detached' });
    await expect.poll(() => held.length).toBe(2); // both were read before the next one
    await keyboard.press('Space');
    await saved(page, 'Swim').waitFor();
    await hears(2);
    expect(await saved(page, 'Swim').count()).toBe(1);
    await keyboard.press('u');
    await saved(page, 'Swim').waitFor({ state: 'detached' });
    await expect.poll(() => ana.completions()).toBe(0);
    await expect.poll(() => held.length).toBe(2);
    await hears(1);
    expect(await saved(page, 'Swim').count()).toBe(0);
    await hears(1);
    await ana.asks('mutation ($id: ID!) { completeTask(taskId: $id) { isReplayed } }', {
      id: (await ana.asks('{ tasks { nodes { id } } }')).tasks.nodes[0].id,
    });
    await expect.poll(() => held.length).toBe(1);
    await hears(1);
    await saved(page, 'Swim').waitFor();
  });

  it('takes back two where it is pressed twice, one after the other', async () => {
    const { page, context, ana } = await withHabits(stage, { Swim: LENGTHS });
    for (const count of [1, 2, 3]) {
      await tapOn(page, 'Swim').press('Space');
      await saved(page, 'Swim').getByText(`${count} of 9 lengths`).waitFor();
    }
    const pressed = Promise.withResolvers<void>();
    const undone = await intercept(context, 'undoCompletion', async (route) => {
      await pressed.promise;
      await route.continue();
    });
    await page.keyboard.press('u');
    await expect.poll(() => undone.count).toBe(1);
    await page.keyboard.press('u');
    pressed.resolve();
    await saved(page, 'Swim').getByText('1 of 9 lengths').waitFor();
    expect(await ana.completions()).toBe(1);
  });

  it('says so where there is nothing to undo, with a network and without', async () => {
    const { page, context } = await withHabits(stage, { Swim: {}, Read: {} });
    const notice = page.locator('.notice', { hasText: 'nothing to undo' });
    await tapOn(page, 'Swim').focus();
    await page.keyboard.press('u');
    await notice.getByText('Swim: nothing to undo.').waitFor();
    await context.setOffline(true);
    await page.locator('.notice.offline').waitFor();
    await tapOn(page, 'Read').focus();
    await page.keyboard.press('u');
    await notice.getByText('Read: nothing to undo.').waitFor();
  });
});

describe('What another device does', needs('Chromium'), () => {
  it('while a tap is on its way is shown when the answer of the tap is older', async () => {
    const { page, context, ana, ids, held, hears } = await withNewsHeld(LENGTHS);
    await intercept(context, 'completeTasks', async (route) => {
      const response = await route.fetch();
      const add = 'mutation ($id: ID!) { completeTask(taskId: $id, amount: 1) { isReplayed } }';
      await ana.asks(add, { id: ids[0] });
      await expect.poll(() => held.length).toBe(2);
      await hears(2);
      await route.fulfill({ response });
    });
    await page.keyboard.press('Space');
    await saved(page, 'Swim').getByText('2 of 9 lengths').waitFor();
  });

  it('is shown while a tap is on its way, which is not counted twice', async () => {
    const { page, context, ana, held, hears } = await withNewsHeld(LENGTHS);
    const seen = Promise.withResolvers<void>();
    await intercept(context, 'completeTasks', async (route) => {
      const response = await route.fetch();
      await ana.hasTask('Read');
      await expect.poll(() => held.length).toBe(2);
      await hears(2);
      await seen.promise;
      await route.fulfill({ response });
    });
    await page.keyboard.press('Space');
    await row(page, 'Read').waitFor();
    expect(await tapOn(page, 'Swim').innerText()).toContain('1 of 9 lengths');
    seen.resolve();
    await saved(page, 'Swim').getByText('1 of 9 lengths').waitFor();
  });
});
