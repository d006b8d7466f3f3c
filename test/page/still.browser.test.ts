/// <reference lib="dom" />
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { listed, more, press } from '../support/habits.js';
import { journey, Person, PHONE, row, saved, stageForTests, tapOn, waiting } from '../support/page.js';
import { needs } from '../support/tools.js';

const stage = stageForTests();

async function withMany(count: number) {
  const ana = await Person.on(stage);
  for (let number = 1; number <= count; number += 1) await ana.hasTask(`Habit ${number}`);
  const opened = await ana.opens({ viewport: PHONE, hasTouch: true, reducedMotion: 'no-preference' });
  await row(opened.page, `Habit ${count}`).waitFor();
  return { ana, ...opened };
}

/** How often each habit was done that was. */
const counts = async (ana: Person): Promise<Record<string, number>> => {
  const { tasks } = await ana.asks('{ tasks(first: 100) { nodes { title completionCount } } }');
  const all = tasks.nodes.map((each: Record<string, unknown>) => [each.title, each.completionCount]);
  return Object.fromEntries(all.filter(([, count]: [string, number]) => count > 0));
};

/** The middle of each row that can be seen whole, and has nothing in front of it. */
const spots = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('.today .tap')].flatMap((tap) => {
      const { left, top, width, height } = tap.getBoundingClientRect();
      const [x, y] = [left + width / 2, top + height / 2];
      const title = tap.querySelector('.title')?.textContent ?? '';
      return document.elementFromPoint(x, y)?.closest('.tap') === tap ? [{ title, x, y }] : [];
    }),
  );

/** As soon as the one that was there is gone. */
const tapAt = (page: Page, spot = { x: 0, y: 0 }, former = '') =>
  page.evaluate(
    async ([{ x, y }, former]) => {
      const there = () => document.elementFromPoint(x, y)?.closest('.tap');
      while (!there() || (former && there()?.textContent.includes(former)))
        await new Promise(requestAnimationFrame);
      const click = new MouseEvent('click', { bubbles: true, clientX: x, clientY: y, detail: 1 });
      there()?.dispatchEvent(click);
    },
    [spot, former] as const,
  );

const pauseOf = (page: Page, ms: number) =>
  page.evaluate((ms) => new Promise((resolve) => setTimeout(resolve, ms)), ms);

describe('The list holds still', needs('Chromium'), () => {
  it('so that the spots of the first drawing stay those of their habits, and no row moves for a lost network', async () => {
    const { ana, page, context } = await withMany(6);
    const tops = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('.row, .challenge')].map((each) => each.getBoundingClientRect().top),
      );
    const before = await tops();
    const notice = page.locator('.notice', { hasText: 'No connection' });
    for (const isAway of [true, false]) {
      await context.setOffline(isAway);
      await notice.waitFor({ state: isAway ? 'visible' : 'detached' });
      expect(await tops()).toEqual(before);
    }
    const all = await spots(page);
    expect(all.length).toBeGreaterThan(5);
    for (const { x, y } of all) {
      await page.touchscreen.tap(x, y);
      await pauseOf(page, 60);
    }
    await expect.poll(() => counts(ana)).toEqual(Object.fromEntries(all.map(({ title }) => [title, 1])));
    // When the hand is away, all is where it belongs.
    await expect.poll(() => listed(page)).toEqual(all.map(({ title }) => title));
  });

  journey('under a second tap on the same spot, which does nothing else', async () => {
    const { ana, page } = await withMany(6);
    const [, second] = await spots(page);
    if (!second) throw new Error('There is no second habit');
    await page.evaluate(async ({ x, y }) => {
      for (const detail of [1, 2]) {
        const click = new MouseEvent('click', { bubbles: true, clientX: x, clientY: y, detail });
        document.elementFromPoint(x, y)?.dispatchEvent(click);
        await new Promise(requestAnimationFrame);
      }
    }, second);
    await saved(page, 'Habit 2').waitFor();
    await expect.poll(() => page.evaluate(() => document.querySelectorAll('.today h3').length)).toBe(1);
    expect(await counts(ana)).toEqual({ 'Habit 2': 1 });
  });

  it('under a second tap on a button whose dialog is gone: the habit below it is not done', async () => {
    const { ana, page } = await withMany(20);
    await more(page, 'Habit 3');
    await press(page, 'Note');
    const submit = page.getByRole('button', { name: 'Done', exact: true });
    const { x, y, width, height } = (await submit.boundingBox()) ?? new DOMRect();
    await page.evaluate(
      async ([clientX, clientY]) => {
        const there = () => document.elementFromPoint(clientX, clientY);
        const click = () => new MouseEvent('click', { bubbles: true, clientX, clientY, detail: 1 });
        const ofTheSameMoment = click(); // however long drawing takes
        there()?.dispatchEvent(click());
        while (!there()?.closest('.tap')) await new Promise(requestAnimationFrame);
        there()?.dispatchEvent(ofTheSameMoment);
      },
      [x + width / 2, y + height / 2] as const,
    );
    await saved(page, 'Habit 3').waitFor();
    await tapOn(page, 'Habit 20').tap();
    await expect.poll(() => counts(ana)).toEqual({ 'Habit 20': 1, 'Habit 3': 1 });
  });

  journey('under what another device does: a tap on a habit that is gone does nothing', async () => {
    const { ana, page } = await withMany(4);
    const [first, second] = await spots(page);
    const { tasks } = await ana.asks('{ tasks { nodes { id title } } }');
    const { id } = tasks.nodes.find(({ title }: { title: string }) => title === first?.title);
    const moved = tapAt(page, second, second?.title);
    await ana.asks('mutation ($id: ID!) { completeTask(taskId: $id) { task { id } } }', { id });
    await moved;
    await pauseOf(page, 600);
    expect(await counts(ana)).toEqual({ [first?.title ?? '']: 1 });
    await tapAt(page, second);
    await expect.poll(() => waiting(page)).toBe(0);
    await expect.poll(async () => Object.values(await counts(ana)).length).toBe(2);
  });

  journey('and draws nothing between the down and the up of a finger', async () => {
    const { ana, page } = await withMany(6);
    const readAnew = async (title: string) => {
      const read = page.waitForResponse((answer) => /FirstScreen/.test(answer.request().postData() ?? ''));
      await ana.hasTask(title);
      await page.evaluate(() => dispatchEvent(new Event('online'))); // it reads all anew
      await (await read).finished();
      await page.evaluate(
        () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
      );
    };
    await page.getByRole('button', { name: 'Search' }).focus(); // which it loses to the finger
    await page.locator('.today h2').hover(); // a habit that is held opens something
    await page.mouse.down();
    await readAnew('Another');
    expect(await row(page, 'Another').count()).toBe(0);
    await page.mouse.up();
    await row(page, 'Another').waitFor();
    const finger = (...types: string[]) =>
      page.locator('.today h2').evaluate(async (head, types) => {
        for (const type of types) {
          const options = { pointerType: 'touch', bubbles: true, button: 0 };
          head.dispatchEvent(new PointerEvent(type, options));
          await new Promise((resolve) => setTimeout(resolve));
          await new Promise((resolve) => setTimeout(resolve));
        }
        return document.querySelectorAll('.today .row').length;
      }, types);
    await finger('pointerdown');
    await readAnew('Again');
    expect(await finger('pointerup')).toBe(7); // its click may come later
    await finger('click');
    await row(page, 'Again').waitFor();
    await page.mouse.down({ button: 'right' }); // a menu of the browser's would take the up
    await ana.hasTask('One more');
    await row(page, 'One more').waitFor();
  });
});
