/// <reference lib="dom" />
import { describe, expect, it } from 'vitest';
import { GLASSES, later, more, press, stateOn, withHabits } from '../support/habits.js';
import { isKept, journey, KEPT, keptOf, stageForTests, tapOn } from '../support/page.js';
import { needs } from '../support/tools.js';

const stage = stageForTests({ BACKDATE_HOURS: '480' });

describe('The month', needs('Chromium'), () => {
  it('shows in four steps how far a day was', async () => {
    const { page, ana, ids, now } = await withHabits(stage, { Drink: GLASSES });
    const shapes: (string | null)[] = [];
    await more(page, 'Drink');
    await press(page, 'Month and charts');
    const today = page.locator(`.month [data-date="${now}"]`);
    for (const amount of [2, 3, 2, 1]) {
      const before = shapes.at(-1) ?? '';
      await ana.asks(`mutation { completeTask(taskId: ${ids[0]}, amount: ${amount}) { isReplayed } }`);
      await expect.poll(() => today.locator('path').getAttribute('d')).not.toBe(before);
      await expect.poll(() => today.innerText()).toMatch(amount === 1 ? /: kept$/ : /: partly done$/);
      shapes.push(await today.locator('path').getAttribute('d'));
    }
    expect(new Set(shapes).size).toBe(4);
  });
});

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

describe('The board', needs('Chromium'), () => {
  it('opens without a network as it was last, and says since when, until the service answers again', async () => {
    const { page, context, ana, ids, now } = await withHabits(stage, { Swim: {}, Read: {} }, KEPT);
    const far = later(now, -12);
    const done = `mutation { completeTask(taskId: ${ids[0]}, at: "${far}T12:00:00Z") { isReplayed } }`;
    await ana.asks(done);
    await ana.asks(`mutation { completeTask(taskId: ${ids[0]}) { isReplayed } }`);
    const board = page.getByRole('dialog', { name: 'All habits' });
    const cell = board.locator(`[data-date="${ids[0]} ${far}"]`);
    const asOf = board.getByText(/^No connection\. As of .*\d{4}, \d\d:\d\d\.$/);
    await isKept(page);
    await press(page, 'All habits');
    await expect.poll(() => cell.innerText()).toMatch(/: kept$/);
    expect(await asOf.count()).toBe(0);
    await expect.poll(() => keptOf(page)).toContain('"statistics"');
    await context.setOffline(true);
    await page.reload(); // its address opens it again
    await asOf.waitFor();
    await expect.poll(() => cell.innerText()).toMatch(/: kept$/);
    await board.locator('.rate').first().getByText('100%').waitFor();
    await press(page, 'Month before');
    await board.getByText('There is no connection to the service.').waitFor();
    expect(await asOf.count()).toBe(0);
    await press(page, 'Month after');
    await asOf.waitFor();
    await context.setOffline(false);
    await asOf.waitFor({ state: 'detached' });
    await expect.poll(() => cell.innerText()).toMatch(/: kept$/);
  });
});

describe('The year', needs('Chromium'), () => {
  journey('shows what was kept of what was due, is asked for when seen, and kept on the device', async () => {
    const many = Array.from({ length: 12 }, (_, index) => [`Habit ${index}`, {}]);
    const { page, context, ids, ana, now } = await withHabits(stage, Object.fromEntries(many), KEPT);
    const before = later(now, -20);
    for (const id of ids.slice(0, 3))
      await ana.asks(
        `mutation { completeTask(taskId: ${id}, at: "${later(now, -3)}T12:00:00Z") { isReplayed } }`,
      );
    let asked = 0;
    context.on('request', (request) => {
      if (request.postData()?.includes('query Year')) asked += 1;
    });
    const cell = (date: string) => page.locator(`.heatmap [data-date="${date}"]`);
    await cell(now).waitFor({ state: 'attached' });
    expect(asked).toBe(0);
    await page.locator('.year').scrollIntoViewIfNeeded();
    await expect.poll(() => cell(later(now, -3)).innerText()).toContain('3 of 3 kept');
    expect(await cell(later(now, -3)).getAttribute('class')).toBe('step-4');
    // The list tells of its last days.
    await expect.poll(() => cell(before).innerText()).toContain('nothing was due');
    expect(await cell(now).innerText()).toContain('0 of 12 kept');
    expect(asked).toBe(1);
    await tapOn(page, 'Habit 4').click();
    await expect.poll(() => cell(now).innerText()).toContain('1 of 12 kept');
    expect(await cell(now).getAttribute('class')).toBe('step-1');
    await page.getByText('100% of what was due was kept.').waitFor(); // today is not over
    await isKept(page);
    await context.setOffline(true);
    await page.reload();
    await tapOn(page, 'Habit 5').click();
    await page.locator('.year').scrollIntoViewIfNeeded();
    await expect.poll(() => cell(now).innerText()).toContain('2 of 12 kept');
    await page.getByText('100% of what was due was kept.').waitFor();
  });

  it('keeps the names of its weekdays in view on a phone, wherever it is scrolled to', async () => {
    const { page } = await withHabits(stage, { Swim: {} });
    await tapOn(page, 'Swim').click(); // the year comes with the first thing done
    const frame = page.locator('.heatmap-frame');
    await frame.waitFor();
    const places = () =>
      frame.evaluate((element) => {
        const [left, name] = [element.scrollLeft, element.querySelector('th[scope=row]')];
        return [
          left > 0,
          Math.round((name?.getBoundingClientRect().x ?? 0) - element.getBoundingClientRect().x),
        ];
      });
    const [isScrolled, place] = await places();
    expect(isScrolled).toBe(true);
    await frame.evaluate((element) => element.scrollTo({ left: 0 }));
    expect((await places())[0]).toBe(false);
    expect(Math.abs(Number((await places())[1]) - Number(place))).toBeLessThanOrEqual(8);
  });
});
