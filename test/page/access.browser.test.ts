/// <reference lib="dom" />
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { unfold } from '../support/axe.js';
import { listed } from '../support/habits.js';
import {
  DESK,
  DIALOGS,
  dialogGone,
  journey,
  newBrowser,
  openDialog,
  Person,
  row,
  type Stage,
  saved,
  sharedStage,
  tapOn,
} from '../support/page.js';
import { has, needs } from '../support/tools.js';

let stage: Stage;
let ana: Person;

beforeAll(async () => {
  if (!has('Chromium')) return;
  stage = await sharedStage();
  ana = await Person.on(stage);
  const id = await ana.hasTask('Swim 1 km');
  await ana.hasTask('Read', { target: { amount: 20, unit: 'pages' }, tags: ['evening'] });
  await ana.hasTask(`${'Tidy the desk and the shelves '.repeat(4)}`, { icon: '🗂️' });
  await ana.asks('mutation ($id: ID!) { completeTask(taskId: $id) { isReplayed } }', { id });
});

/** Buttons and the like that are less than 44 px wide or high. */
const smallTargets = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('button, input, select, summary, textarea, a')]
      .map((element) => element.closest('label') ?? element)
      .map((element) => ({ name: element.outerHTML.slice(0, 80), box: element.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 0 && (box.width < 44 || box.height < 44))
      .map(({ name, box }) => `${name} ${box.width} x ${box.height}`),
  );

const overflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

describe('For everybody, the page', needs('Chromium'), () => {
  it('keeps what a row says within it, whatever that is', async () => {
    const person = await Person.on(stage);
    await person.hasTask('Read '.repeat(30), {
      icon: '📖',
      target: { amount: 20, unit: 'pages of something long' },
    });
    const weekly = { schedule: { timesPer: { count: 1, period: 'WEEK' } } };
    const done = 'mutation ($id: ID!) { completeTask(taskId: $id) { isReplayed } }';
    await person.asks(done, { id: await person.hasTask('Call', weekly) });
    await person.asks(done, {
      id: await person.hasTask('Drink', { ...weekly, target: { amount: 8, unit: 'glasses' } }),
    });
    const { context, page } = await person.opens({ viewport: { width: 320, height: 640 } });
    await context.setOffline(true);
    await tapOn(page, 'Read').click();
    await row(page, 'Read').locator('.tap.waiting').waitFor();
    await expect.poll(() => page.locator('[style*="held"]').count()).toBe(0); // until then each has one line
    for (const title of ['Read', 'Call', 'Drink']) {
      const edges = await row(page, title).evaluate((element) =>
        [...element.querySelectorAll('.line > *')].map((part) => part.getBoundingClientRect().right),
      );
      const button = await row(page, title).locator('.more').boundingBox();
      expect(Math.max(...edges)).toBeLessThanOrEqual(button?.x ?? 0);
    }
    await row(page, 'Call').getByText('1 week in a row').waitFor();
    const plan = row(page, 'Call').locator('.about > :last-child');
    expect(await plan.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true);
    expect(await overflow(page)).toBe(0);
  });

  it('never scrolls sideways, 320 px wide or at 400 %, and no target is under 44 px', async () => {
    const { page } = await newBrowser(stage, { viewport: { width: 320, height: 256 } }); // 1280 x 1024 at 400 %
    expect([await overflow(page), await smallTargets(page)]).toEqual([0, []]);
    await ana.logsIn(page);
    await row(page, 'Read').waitFor();
    await tapOn(page, 'Read').click();
    await saved(page, 'Read').waitFor();
    await page.locator('summary').first().click();
    expect([await overflow(page), await smallTargets(page)]).toEqual([0, []]);
    const heights = await page
      .locator('.tap, h1')
      .evaluateAll((lines) => lines.map((line) => line.getBoundingClientRect().height));
    expect(heights.filter((height) => height > 90)).toEqual([]); // two lines of a title at most
    for (const dialog of DIALOGS) {
      await openDialog(page, dialog);
      await unfold(page);
      expect([dialog.way, await overflow(page), await smallTargets(page)]).toEqual([dialog.way, 0, []]);
      await page.keyboard.press('Escape');
      await dialogGone(page);
    }
  });

  journey('is whole by keyboard, and no key does anything else while typing', async () => {
    const person = await Person.on(stage);
    for (const title of ['Swim', 'Read']) await person.hasTask(title);
    const { page } = await person.opens();
    await row(page, 'Read').waitFor();
    const { keyboard } = page;
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');
    await keyboard.press('j');
    await keyboard.press('j');
    expect(await focused()).toContain('Read');
    await keyboard.press('k');
    expect(await focused()).toContain('Swim');
    await keyboard.press('ArrowDown');
    await keyboard.press('Space');
    await saved(page, 'Read').waitFor();
    expect(await focused()).toContain('Read'); // in another list
    await keyboard.press('Space');
    await saved(page, 'Read').waitFor({ state: 'detached' });
    await keyboard.press('Space');
    await saved(page, 'Read').waitFor();
    await keyboard.press('u');
    await saved(page, 'Read').waitFor({ state: 'detached' });
    await expect.poll(() => person.completions()).toBe(0);
    await keyboard.press('o');
    await page.getByRole('dialog').getByText('Kept by weekday').first().waitFor();
    await keyboard.press('Escape');
    await dialogGone(page);
    await keyboard.press('?');
    await page.getByRole('dialog', { name: 'Shortcuts' }).getByText('new habit').waitFor();
    await keyboard.press('Escape');
    await dialogGone(page);
    expect(await focused()).toContain('Read');
    await keyboard.press('/');
    await keyboard.type('swi');
    await row(page, 'Read').waitFor({ state: 'detached' });
    await keyboard.press('Escape');
    await row(page, 'Read').waitFor();
    await tapOn(page, 'Read').focus();
    await keyboard.press('n');
    await page.getByLabel('What do you want to do?').focus();
    await keyboard.type('jog, nudge? u');
    await keyboard.press('Enter');
    await row(page, 'jog, nudge? u').waitFor();
    expect(await person.completions()).toBe(0);
  });

  it('leaves the focus near the button that was pressed, when that goes', async () => {
    const person = await Person.on(stage);
    for (const title of ['Swim', 'Read', 'Walk']) await person.hasTask(title);
    const { page } = await newBrowser(stage);
    await person.logsIn(page);
    await row(page, 'Walk').waitFor();
    await page.clock.install();
    const focused = () =>
      page.evaluate(() => {
        const [element, row] = [document.activeElement, document.activeElement?.closest('.row')];
        return `${element?.textContent} ${row?.querySelector('.title')?.textContent ?? ''}`;
      });
    await expect.poll(focused).toMatch(/, Ana/); // after the log-in form
    const { keyboard } = page;
    await tapOn(page, 'Read').focus();
    await keyboard.press('Space');
    await page.locator('.toast').getByText('Read: saved').waitFor();
    await page.locator('.toast').getByRole('button').focus();
    await page.clock.runFor(8_500); // it is not offered any more
    await page.locator('.toast').waitFor({ state: 'detached' });
    expect(await focused()).toMatch(/^Read.* Read$/);
    await row(page, 'Read').getByRole('button', { name: 'More' }).focus();
    await keyboard.press('Enter');
    await page.getByRole('button', { name: 'Archive' }).focus();
    await keyboard.press('Enter');
    await dialogGone(page);
    await expect.poll(focused).toMatch(/ (Swim|Walk)$/);
    await page.getByText('Archived (1)').click();
    await page.getByRole('button', { name: 'Restore' }).focus();
    await keyboard.press('Enter');
    await row(page, 'Read').waitFor();
    expect(await focused()).not.toMatch(/^ *$/);
    expect(await page.evaluate(() => document.activeElement === document.body)).toBe(false);
  });

  it('gives the focus back to a habit that has moved while its own view was open beside the list', async () => {
    const person = await Person.on(stage);
    for (const title of ['Read', 'Swim']) await person.hasTask(title);
    const { page } = await person.opens({ viewport: DESK });
    await row(page, 'Swim').waitFor();
    await page.clock.install();
    await tapOn(page, 'Read').focus();
    await page.keyboard.press('Space');
    await saved(page, 'Read').waitFor();
    await page.keyboard.press('o');
    await page.getByRole('dialog', { name: 'Read' }).getByText('Kept by weekday').first().waitFor();
    await page.clock.runFor(2_000);
    await expect.poll(() => listed(page)).toEqual(['Swim', 'Read']);
    await page.keyboard.press('Escape');
    await dialogGone(page);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('Read');
  });

  journey('says what changes, and what is refused, in a place that is there from the start', async () => {
    const person = await Person.on(stage);
    const id = await person.hasTask('Swim', { target: { amount: 9, unit: 'lengths' } });
    const { context, page } = await newBrowser(stage);
    await page.evaluate(() => {
      const said = document.querySelector('#said');
      const heard: string[] = [];
      if (said?.getAttribute('role') !== 'status') return;
      new MutationObserver(() => heard.push(said.textContent ?? '')).observe(said, { childList: true });
      Object.assign(window, { heard });
    });
    const heard = () => page.evaluate(() => (window as unknown as { heard: string[] }).heard.join(' '));
    await person.logsIn(page);
    expect(await heard()).not.toContain('Swim');
    await tapOn(page, 'Swim').click();
    await expect.poll(heard).toMatch(/Swim: 1 of 9 lengths, saving\. .*Swim: 1 of 9 lengths, saved\./);
    await context.setOffline(true);
    await expect.poll(heard).toContain('No connection.');
    await tapOn(page, 'Swim').click();
    await expect.poll(heard).toContain('Swim: 2 of 9 lengths, waiting for the network · saved.');
    await person.asks('mutation ($id: ID!) { archiveTask(id: $id) { task { id } } }', { id });
    await context.setOffline(false);
    await expect.poll(heard).toMatch(/Connected\..*Swim: refused\. The habit is archived/);
    expect(await page.locator('#said').count()).toBe(1);
  });

  it('has the year as a table that can be read, in one stop of the keyboard, with arrows inside', async () => {
    const { page } = await ana.opens();
    const table = page.getByRole('table', {
      name: 'What was kept of what was due on each day of the last year',
    });
    await page.getByText('Something was done 1 day in a row, at most 1 day.').waitFor();
    expect(await table.locator('tbody tr').count()).toBe(7);
    expect(await table.locator('td[data-date]').count()).toBe(365);
    expect(await table.locator('[tabindex="0"]').count()).toBe(1);
    const focused = () => page.evaluate(() => (document.activeElement as HTMLElement).dataset.date ?? '');
    const today = await table.locator('[tabindex="0"]').getAttribute('data-date');
    await table.locator('[tabindex="0"]').focus();
    const before = (days: number) =>
      new Date(Date.parse(`${today}`) - days * 86_400_000).toISOString().slice(0, 10);
    for (const [key, days] of [
      ['ArrowLeft', 7],
      ['ArrowUp', 8],
      ['ArrowDown', 7],
      ['ArrowRight', 0],
      ['Home', 364],
      ['End', 0],
    ] as const) {
      await page.keyboard.press(key);
      expect([key, await focused()]).toEqual([key, before(days)]);
    }
    expect(await table.locator('[tabindex="0"]').innerText()).toMatch(/: \d of \d kept$/);
    const shapes = await table.evaluate((element) =>
      ['step-0', 'step-1', 'step-4'].map((name) => {
        const cell = element.querySelector('td[data-date]');
        if (cell) cell.className = name;
        return cell ? getComputedStyle(cell, '::before').width : '';
      }),
    );
    expect(new Set(shapes).size).toBe(3); // larger, and not only darker
  });

  it('moves nothing for those who want no motion', async () => {
    const person = await Person.on(stage);
    for (const title of ['Swim', 'Read']) await person.hasTask(title);
    const { page } = await newBrowser(stage, { reducedMotion: 'reduce' });
    await person.logsIn(page);
    for (const title of ['Swim', 'Read']) await row(page, title).waitFor();
    await tapOn(page, 'Read').click();
    await tapOn(page, 'Swim').click();
    await page.getByText('All done.').waitFor();
    expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
  });
});
