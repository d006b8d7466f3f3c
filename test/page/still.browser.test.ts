/// <reference lib="dom" />
import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { listed, more, press } from '../support/habits.js';
import { journey, Person, PHONE, row, saved, stageForTests, tapOn, waiting } from '../support/page.js';
import { needs } from '../support/tools.js';

const stage = stageForTests();

const names = (count: number) => Array.from({ length: count }, (_, index) => `Habit ${index + 1}`);

async function withMany(count: number, options: BrowserContextOptions = {}) {
  const ana = await Person.on(stage);
  for (const name of names(count)) await ana.hasTask(name);
  const opened = await ana.opens({
    viewport: PHONE,
    hasTouch: true,
    reducedMotion: 'no-preference',
    ...options,
  });
  await row(opened.page, `Habit ${count}`).waitFor();
  return { ana, ...opened };
}

/** How often each habit was done. */
const counts = async (ana: Person): Promise<Record<string, number>> => {
  const { tasks } = await ana.asks('{ tasks(first: 100) { nodes { title completionCount } } }');
  const done = tasks.nodes.filter(({ completionCount }: { completionCount: number }) => completionCount > 0);
  return Object.fromEntries(
    done.map(({ title, completionCount }: { title: string; completionCount: number }) => [
      title,
      completionCount,
    ]),
  );
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
  it.each([
    [6, 60],
    [60, 400],
  ])(
    'so that the spots of the first drawing stay those of their habits: %i habits, %i ms apart',
    async (count, gap) => {
      const { ana, page } = await withMany(count);
      const all = await spots(page);
      expect(all.length).toBeGreaterThan(5);
      for (const { x, y } of all) {
        await page.touchscreen.tap(x, y);
        await pauseOf(page, gap);
      }
      const expected = Object.fromEntries(all.map(({ title }) => [title, 1]));
      await expect.poll(() => counts(ana)).toEqual(expected);
      // When the hand is away, all is where it belongs.
      await expect
        .poll(async () => (await listed(page)).slice(-all.length))
        .toEqual(all.map(({ title }) => title));
    },
  );

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
      async ([x, y]) => {
        const there = () => document.elementFromPoint(x, y);
        const clicks = [0, 1].map(
          () => new MouseEvent('click', { bubbles: true, clientX: x, clientY: y, detail: 1 }),
        );
        there()?.dispatchEvent(clicks[0] ?? new Event('click'));
        while (!there()?.closest('.tap')) await new Promise(requestAnimationFrame);
        there()?.dispatchEvent(clicks[1] ?? new Event('click')); // of a moment later, however long drawing took
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

  it('under the news of a lost network, which comes and goes without moving a row', async () => {
    const { ana, page, context } = await withMany(20); // the last rows lie at the end of the page
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    const tops = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('.row, .challenge')].map((each) => each.getBoundingClientRect().top),
      );
    const before = await tops();
    const notice = page.locator('.notice', { hasText: 'No connection' });
    await context.setOffline(true);
    await notice.waitFor();
    expect(await tops()).toEqual(before);
    await context.setOffline(false);
    await notice.waitFor({ state: 'detached' });
    expect(await tops()).toEqual(before);
    await page.evaluate(() => scrollTo(0, 0));
    const [, second] = await spots(page);
    await context.setOffline(true);
    await notice.waitFor();
    await tapAt(page, second);
    await expect.poll(() => waiting(page)).toBe(1);
    await context.setOffline(false);
    await expect.poll(() => counts(ana)).toEqual({ 'Habit 2': 1 });
  });

  it('while rows pass below its headings', async () => {
    const { page } = await withMany(6);
    await page.evaluate(() => {
      const { animate } = Element.prototype;
      Element.prototype.animate = function (...how) {
        const gliding = animate.apply(this, how);
        gliding.pause(); // at its first moment all rows are where they were
        return gliding;
      };
    });
    await tapOn(page, 'Habit 6').click();
    const heading = page.locator('.today h3');
    await heading.waitFor();
    const onTop = await heading.evaluate((it) => {
      const { left, top, height } = it.getBoundingClientRect();
      const there = document.elementsFromPoint(left + 5, top + height / 2);
      return [there[0] === it, there.some((each) => each.matches('.row, .row *'))];
    });
    expect(onTop).toEqual([true, true]);
  });

  it('under a list that is scrolled as a tap is drawn: no habit was moved by that', async () => {
    const { ana, page } = await withMany(60);
    await page.evaluate(async () => {
      const tap = (x: number, y: number) =>
        document
          .elementFromPoint(x, y)
          ?.closest('.tap')
          ?.dispatchEvent(new MouseEvent('click', { bubbles: true, clientX: x, clientY: y, detail: 1 }));
      const { left, top } =
        document.querySelectorAll('.today .tap')[2]?.getBoundingClientRect() ?? new DOMRect();
      tap(left + 9, top + 9);
      await null;
      await null; // it is drawn, and not painted
      scrollBy(0, top);
      tap(left + 9, top + 200);
    });
    await expect.poll(async () => Object.values(await counts(ana))).toEqual([1, 1]);
  });

  it('and measures and draws no other habit before a tap is painted', async () => {
    const { page } = await withMany(60);
    const touched = page.evaluate(
      () =>
        new Promise<string[]>((resolve) => {
          const titles = new Set<string>();
          const note = (node: Node) => {
            const row = (node instanceof Element ? node : node.parentElement)?.closest('.row');
            if (row) titles.add(row.querySelector('.title')?.textContent ?? '');
          };
          const measure = Element.prototype.getBoundingClientRect;
          const follow = () => {
            Element.prototype.getBoundingClientRect = function () {
              note(this);
              return measure.call(this);
            };
            const all = { subtree: true, childList: true, attributes: true, characterData: true };
            new MutationObserver((changes) => {
              for (const { target } of changes) note(target);
            }).observe(document.body, all);
            requestAnimationFrame(() => resolve([...titles]));
          };
          addEventListener('click', follow, { capture: true, once: true });
        }),
    );
    await tapOn(page, 'Habit 33').tap();
    expect(await touched).toEqual(['Habit 33']);
  });

  it('and moves nothing in the strip for a tap, whose ring shows it at once', async () => {
    const { page } = await withMany(4);
    await tapOn(page, 'Habit 1').tap();
    const drawn = page.evaluate(
      () =>
        new Promise((resolve) => {
          const look = () => {
            const ring = document.querySelector('.strip [aria-pressed="true"] .share');
            const share = ring?.getAttribute('stroke-dasharray');
            resolve({ share, moving: ring?.getAnimations().length });
          };
          addEventListener('click', () => requestAnimationFrame(look), { capture: true, once: true });
        }),
    );
    await tapOn(page, 'Habit 2').tap();
    expect(await drawn).toEqual({ share: '0.5 1', moving: 0 });
  });

  it('and costs a tap no picture of its highlight, and one look at the clock of the zone', async () => {
    const { page } = await withMany(4);
    const looked = page.evaluate(
      () =>
        new Promise((resolve) => {
          let looks = 0;
          const { prototype } = Intl.DateTimeFormat;
          const format = Object.getOwnPropertyDescriptor(prototype, 'format')?.get;
          const get = function (this: Intl.DateTimeFormat) {
            looks += Number(this.resolvedOptions().locale === 'sv-SE');
            return format?.call(this);
          };
          Object.defineProperty(prototype, 'format', { get });
          const count = () => {
            looks = 0;
            requestAnimationFrame(() => resolve(looks));
          };
          addEventListener('click', count, { capture: true, once: true });
        }),
    );
    await tapOn(page, 'Habit 2').tap();
    expect(await looked).toBe(1);
    const highlight = await tapOn(page, 'Habit 2').evaluate((tap) =>
      getComputedStyle(tap).getPropertyValue('-webkit-tap-highlight-color'),
    );
    expect(highlight).toBe('rgba(0, 0, 0, 0)');
  });

  it('with a year far below it that costs a tap nothing, and is there at its end once it is seen', async () => {
    const { ana, page } = await withMany(60);
    const id = await ana.hasTask('Swim');
    await ana.asks('mutation ($id: ID!) { completeTask(taskId: $id) { isReplayed } }', { id });
    const year = page.locator('.heatmap-frame');
    await year.waitFor();
    const isSeen = () => year.evaluate((frame) => frame.checkVisibility({ contentVisibilityAuto: true }));
    await expect.poll(isSeen).toBe(false);
    await page.locator('.year').scrollIntoViewIfNeeded();
    await expect.poll(isSeen).toBe(true);
    const left = await year.evaluate((frame) => frame.scrollWidth - frame.clientWidth - frame.scrollLeft);
    expect(left).toBeLessThan(2);
  });

  journey('and draws nothing between the down and the up of a finger', async () => {
    const { ana, page } = await withMany(6);
    await page.getByRole('button', { name: 'Search' }).focus(); // which it loses to the finger
    await page.locator('.today h2').hover(); // a habit that is held opens something
    await page.mouse.down();
    const read = page.waitForResponse((answer) =>
      Boolean(answer.request().postData()?.includes('FirstScreen')),
    );
    await ana.hasTask('Another');
    await page.evaluate(() => dispatchEvent(new Event('online'))); // it reads all anew
    await (await read).finished();
    await page.evaluate(
      () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
    );
    expect(await row(page, 'Another').count()).toBe(0);
    await page.mouse.up();
    await row(page, 'Another').waitFor();
    await page.mouse.down({ button: 'right' }); // a menu of the browser's would take the up
    await ana.hasTask('One more');
    await row(page, 'One more').waitFor();
  });

  /** A challenge below the list can be ended, and what was done in the list is about to go to its place. */
  async function aboutToMove() {
    const { page } = await withMany(2);
    const card = page.getByRole('region', { name: 'Challenge' });
    await card.getByText('Take on a challenge').click();
    await card.locator('.templates summary').first().click();
    await press(page, 'Start');
    const end = card.getByRole('button', { name: 'Give up' });
    await end.waitFor();
    await page.clock.install();
    for (const name of names(2)) await tapOn(page, name).click();
    await saved(page, 'Habit 2').waitFor();
    await end.scrollIntoViewIfNeeded();
    const isAsked = () => page.getByRole('dialog').getByRole('button', { name: 'Give up' }).waitFor();
    const hasMoved = () => page.locator('.today').getByRole('heading', { name: 'Done' }).waitFor();
    return { page, end, isAsked, hasMoved };
  }

  it('and so does a button below it between the down and the up, whatever would go to its place', async () => {
    const { page, end, isAsked, hasMoved } = await aboutToMove();
    await end.hover();
    const before = await end.boundingBox();
    await page.mouse.down();
    await page.clock.runFor(5_000);
    expect(await end.boundingBox()).toEqual(before);
    await page.mouse.up();
    await isAsked();
    await page.clock.runFor(5_000);
    await hasMoved();
  });

  it('and a button below it until the click of a finger, which comes later than its up', async () => {
    const { page, end, isAsked, hasMoved } = await aboutToMove();
    await page.clock.pauseAt(Date.now() + 1_000);
    const happens = (type: string) =>
      end.evaluate((button, type) => {
        const finger = { pointerType: 'touch', bubbles: true, button: 0, detail: 1 };
        button.dispatchEvent(new PointerEvent(type, finger));
      }, type);
    const before = await end.boundingBox();
    await happens('pointerdown');
    await page.clock.runFor(5_000);
    await happens('pointerup');
    await page.clock.runFor(100);
    expect(await end.boundingBox()).toEqual(before);
    await happens('click');
    await isAsked();
    await page.clock.runFor(5_000);
    await hasMoved();
    await page.keyboard.press('Escape');
    await tapOn(page, 'Habit 2').evaluate((button: HTMLElement) => button.click()); // takes it back
    await happens('pointerdown');
    await happens('pointerup'); // no click comes
    await page.clock.runFor(5_000);
    await expect.poll(() => listed(page)).toEqual(['Habit 2', 'Habit 1']);
  });
});
