/// <reference lib="dom" />
import { describe, expect, it } from 'vitest';
import { later, press, stateOn, withHabits } from '../support/habits.js';
import { isKept, journey, KEPT, stageForTests, tapOn } from '../support/page.js';
import { needs } from '../support/tools.js';

const stage = stageForTests();

describe('A day older than seven', needs('Chromium'), () => {
  journey('is put right in the board, by keys too, and in the month, while the service lets it', async () => {
    const { page, ana, ids, now } = await withHabits(stage, { Swim: {}, Read: {} });
    const [swim = '', read = ''] = ids;
    const far = later(now, -12);
    await press(page, 'All habits');
    const board = page.getByRole('dialog', { name: 'All habits' });
    const cell = (id: string, date: string) => board.locator(`[data-date="${id} ${date}"]`);
    await cell(swim, far).click();
    await board.getByRole('button', { name: 'Done', exact: true }).click();
    await expect.poll(() => stateOn(ana, swim, far)).toMatchObject({ state: 'KEPT' });
    await expect.poll(() => cell(swim, far).innerText()).toMatch(/: kept$/);
    await cell(swim, far).focus();
    await page.keyboard.press('ArrowDown');
    await board.getByRole('button', { name: 'Done', exact: true }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect.poll(() => stateOn(ana, read, far)).toMatchObject({ state: 'KEPT' });
    await cell(read, later(now, -25)).click();
    await board.getByText('That is too long ago to be changed.').waitFor();
    expect(await board.getByRole('button', { name: 'Done', exact: true }).count()).toBe(0);
    await board.getByRole('button', { name: 'Swim' }).click();
    const habit = page.getByRole('dialog', { name: 'Swim' });
    await habit.locator(`.month [data-date="${far}"]`).click();
    await habit.getByRole('button', { name: 'Undo', exact: true }).click();
    await expect.poll(() => stateOn(ana, swim, far)).toMatchObject({ state: 'REST' });
    await expect.poll(() => habit.locator('.shown-day p').first().innerText()).toMatch(/: not due$/);
  });
});

describe('The year', needs('Chromium'), () => {
  it('shows what was kept of what was due, is walked by keys, and kept on the device', async () => {
    const many = Array.from({ length: 12 }, (_, index) => [`Habit ${index}`, {}]);
    const { page, context, now } = await withHabits(stage, Object.fromEntries(many), KEPT);
    const cell = (date: string) => page.locator(`.heatmap [data-date="${date}"]`);
    await tapOn(page, 'Habit 4').click(); // before, there is nothing to look back on
    await page.locator('.year').scrollIntoViewIfNeeded();
    await expect.poll(() => cell(later(now, -20)).innerText()).toContain('nothing was due');
    await expect.poll(() => cell(now).innerText()).toContain('1 of 12 kept');
    expect(await cell(now).getAttribute('class')).toBe('step-1');
    await cell(now).focus();
    for (const [key, days] of [
      ['ArrowLeft', 7],
      ['ArrowUp', 8],
      ['Home', 364],
      ['End', 0],
    ] as const) {
      await page.keyboard.press(key);
      const focused = page.evaluate(() => (document.activeElement as HTMLElement).dataset.date ?? '');
      expect([key, await focused]).toEqual([key, later(now, -days)]);
    }
    await isKept(page);
    await context.setOffline(true);
    await page.reload();
    await tapOn(page, 'Habit 5').click();
    await page.locator('.year').scrollIntoViewIfNeeded();
    await expect.poll(() => cell(now).innerText()).toContain('2 of 12 kept');
  });
});
