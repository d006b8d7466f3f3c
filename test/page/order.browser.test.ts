/// <reference lib="dom" />
import { describe, expect, it } from 'vitest';
import { listed, more, press, withHabits } from '../support/habits.js';
import {
  DESK,
  dialogGone,
  isKept,
  journey,
  KEPT,
  Person,
  row,
  saved,
  stageForTests,
  tapOn,
} from '../support/page.js';
import { needs } from '../support/tools.js';

const stage = stageForTests();

describe('Sections', needs('Chromium'), () => {
  it('are made in the form, say how far they are, and stay folded on the device', async () => {
    const { page } = await withHabits(stage, { Swim: {}, Read: {} });
    await more(page, 'Swim');
    await press(page, 'Edit');
    await page.getByText('Section, tags, points').click();
    await page.getByLabel('Section').fill('Morning');
    await press(page, 'Save');
    await dialogGone(page);
    const morning = page.locator('.section', { hasText: 'Morning' });
    await morning.getByText('0 of 1').waitFor();
    await tapOn(page, 'Swim').click();
    await saved(page, 'Swim').waitFor();
    await morning.getByText('1 of 1').waitFor();
    await morning.locator('summary').click();
    await expect.poll(() => listed(page)).toEqual(['Read']);
    await press(page, 'Search');
    await page.getByLabel('Search habits').fill('swi');
    await expect.poll(() => listed(page)).toEqual(['Swim']); // a search finds what is folded
    await press(page, 'Search');
    await page.reload();
    await row(page, 'Read').waitFor();
    await expect.poll(() => listed(page)).toEqual(['Read']);
  });

  it('keep what was put into them, a limit and a habit of the week too, and count what is asked for', async () => {
    const weekly = { schedule: { timesPer: { count: 2, period: 'WEEK' } } };
    const limit = { target: { amount: 2, unit: 'cups', kind: 'AT_MOST' } };
    const { page, ana, now } = await withHabits(stage, {
      Swim: { section: 'Morning' },
      Call: { section: 'Morning', ...weekly },
      Coffee: { section: 'Morning', ...limit },
      Tea: limit,
      Gym: weekly,
    });
    const week = 'mutation ($day: Weekday!) { updateProfile(input: { weekStartsOn: $day }) { user { id } } }';
    const isWeekend = new Date(now).getUTCDay() % 6 === 0;
    await ana.asks(week, { day: isWeekend ? 'SATURDAY' : 'MONDAY' }); // so that days enough are left
    await page.reload();
    const titles = (place: string) => page.locator(`${place} .title`).allInnerTexts();
    const morning = page.locator('.section', { hasText: 'Morning' });
    await morning.locator('summary').getByText('0 of 2').waitFor();
    expect(await titles('.section')).toEqual(['Swim', 'Call', 'Coffee']);
    expect(await titles('h3:text("Any day") + ul')).toEqual(['Gym']);
    expect(await titles('h3:text("Limits") + ul')).toEqual(['Tea']);
    for (const title of ['Call', 'Coffee']) await tapOn(page, title).click();
    await morning.locator('summary').getByText('1 of 2').waitFor();
    await tapOn(page, 'Swim').click();
    await page.getByText('Well done!').waitFor(); // whatever the rest of the week asks for
  });

  journey('take in a habit that is moved below their heading by keys or by dragging', async () => {
    const { page, ana } = await withHabits(stage, {
      Read: {},
      Run: {},
      Swim: { section: 'Morning' },
    });
    const sections = async () => {
      const { tasks } = await ana.asks('{ tasks { nodes { title section } } }');
      return tasks.nodes.map(({ title, section }: { title: string; section: string }) => [title, section]);
    };
    await press(page, 'Arrange');
    const handle = (title: string) => page.getByRole('button', { name: `Move ${title}` });
    await handle('Run').press('ArrowDown');
    await expect.poll(sections).toEqual([
      ['Read', null],
      ['Run', 'Morning'],
      ['Swim', 'Morning'],
    ]);
    const from = await handle('Read').boundingBox();
    const to = await handle('Swim').boundingBox();
    if (!from || !to) throw new Error('no handles');
    await page.mouse.move(from.x + 20, from.y + 10);
    await page.mouse.down();
    await page.mouse.move(to.x + 20, to.y + to.height - 2, { steps: 5 });
    await page.mouse.up();
    await expect.poll(sections).toEqual([
      ['Run', 'Morning'],
      ['Swim', 'Morning'],
      ['Read', 'Morning'],
    ]);
  });
});

describe('The board', needs('Chromium'), () => {
  journey('shows the last 31 days of each habit, the share that was kept, and leads to it', async () => {
    const { page, ana, ids, now } = await withHabits(stage, { Swim: {}, Read: {} });
    const [swim = ''] = ids;
    await ana.asks('mutation ($id: ID!) { completeTask(taskId: $id) { isReplayed } }', { id: swim });
    await press(page, 'All habits');
    const board = page.getByRole('dialog', { name: 'All habits' });
    const said = (title: string, state: string) =>
      board.locator('tr', { hasText: title }).getByText(new RegExp(`${Number(now.slice(8))}.*: ${state}$`));
    await said('Swim', 'kept').waitFor({ state: 'attached' });
    await said('Read', 'still to do').waitFor({ state: 'attached' });
    const dates = board.locator('tr', { hasText: 'Swim' }).locator('.day');
    expect([await dates.count(), await dates.last().getAttribute('data-date')]).toEqual([
      31,
      `${swim} ${now}`,
    ]);
    await expect.poll(() => board.locator('.rate').allTextContents()).toEqual(['100% kept', '']);
    const seen = board.locator('.board-frame').evaluate((frame) => {
      const [{ right }, day] = [frame.getBoundingClientRect(), frame.querySelector('.is-today')];
      return day !== null && day.getBoundingClientRect().right <= right;
    });
    expect(await seen, 'today, however late in the month').toBe(true);
    await board.getByRole('button', { name: 'Month before' }).click();
    await board.locator('.is-today').waitFor({ state: 'detached' });
    await board.getByRole('button', { name: 'Month after' }).click();
    await said('Swim', 'kept').waitFor({ state: 'attached' });
    await board.getByRole('button', { name: 'Read' }).click();
    await page.getByRole('dialog', { name: 'Read' }).waitFor();
    expect(page.url()).toBe(`${stage.base}/#habit/${ids[1]}`);
  });
});

describe('The board on a phone', needs('Chromium'), () => {
  it.each([390, 320])('shows a whole month, whole names, and what its marks mean: %i px', async (width) => {
    const name = 'Donaudampfschifffahrtsgesellschaftskapitän spielen';
    const coffee = { target: { amount: 2, unit: 'cups', kind: 'AT_MOST' } };
    const viewport = { width, height: 640 };
    const { page } = await withHabits(stage, { [name]: {}, Coffee: coffee }, { viewport });
    await press(page, 'All habits');
    const board = page.getByRole('dialog', { name: 'All habits' });
    await expect
      .poll(() => board.locator('.legend li').allInnerTexts())
      .toEqual([expect.stringMatching(/still to do/), expect.stringMatching(/within the limit/)]);
    const { cut, days, shown } = await board.locator('.board-frame').evaluate((frame) => {
      const { right } = frame.getBoundingClientRect();
      const all = [...frame.querySelectorAll<HTMLElement>('.day, .link')];
      const numbers = [...frame.querySelectorAll('thead th')];
      return {
        cut: all.filter((each) => {
          const isLess = each.matches('.link') && each.scrollHeight > each.clientHeight;
          return isLess || each.getBoundingClientRect().right > right + 1;
        }).length,
        days: all.filter((each) => each.matches('.day') && each.clientWidth > 5).length,
        shown: numbers.flatMap((each, index) => (getComputedStyle(each).clipPath === 'none' ? index : [])),
      };
    });
    expect(cut).toBe(0);
    expect(days).toBe(2 * 31);
    expect(shown.filter((each) => each > 28)).toEqual([30]); // today, with room around it
  });
});

describe('The address of a view', needs('Chromium'), () => {
  journey('opens it, is there while it is open, and goes with the Back of a phone', async () => {
    const { page, ids } = await withHabits(stage, { Swim: {}, Read: {} });
    const [swim = ''] = ids;
    await more(page, 'Swim');
    await press(page, 'Month and charts');
    const habit = page.getByRole('dialog', { name: 'Swim' });
    await habit.locator('.numbers').waitFor();
    expect(page.url()).toBe(`${stage.base}/#habit/${swim}`);
    await page.reload();
    await habit.locator('.numbers').waitFor();
    await page.goBack();
    await dialogGone(page);
    await press(page, 'New habit');
    await page.getByRole('dialog', { name: 'New habit' }).waitFor();
    await page.goBack();
    await dialogGone(page);
    expect(page.url()).toBe(`${stage.base}/`);
    await row(page, 'Swim').waitFor(); // and the page is still there
    await page.goto('about:blank');
    await page.goto(`${stage.base}/#new`);
    await page.getByRole('dialog', { name: 'New habit' }).waitFor();
    await page.goBack(); // leads to the list, and not away from the page
    await dialogGone(page);
    expect(page.url()).toBe(`${stage.base}/`);
  });
});

describe('A desk', needs('Chromium'), () => {
  journey('has the chosen habit beside the list, in its colour, while all else goes on', async () => {
    const habits = { Swim: { colour: 'BLUE', icon: '🏊' }, Read: {} };
    const { page, context, ids } = await withHabits(stage, habits, { viewport: DESK });
    const view = (name: string) => page.getByRole('dialog', { name, exact: true });
    expect(await page.locator('.today .icon').allInnerTexts()).toEqual(['🏊', 'R']);
    await tapOn(page, 'Read').click(); // before, there is nothing to look back on
    const year = page.getByRole('heading', { name: 'The year' });
    await year.waitFor();
    const board = page.locator('.aside .board');
    await board.getByRole('button', { name: 'Swim' }).waitFor();
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    expect(await ground()).toBe('rgb(244, 246, 243)');
    expect(await page.getByRole('button', { name: /More|Settings|Arrange|Undo|Month/ }).count()).toBe(0);
    expect(await board.isVisible()).toBe(true);
    await page.emulateMedia({ media: 'screen', colorScheme: 'light' });
    await tapOn(page, 'Swim').focus();
    await page.keyboard.press('o');
    await view('Swim').locator('.month').waitFor();
    expect([await year.isVisible(), await board.isVisible()]).toEqual([false, false]);
    expect(page.url()).toBe(`${stage.base}/#habit/${ids[0]}`);
    const head = view('Swim').locator('.dialog-head');
    expect(await head.innerText()).toContain('🏊');
    expect(await head.evaluate((element) => getComputedStyle(element).backgroundColor)).toBe(
      'rgb(30, 48, 211)',
    );
    await tapOn(page, 'Swim').click();
    await view('Swim').locator('.month [aria-current]').getByText('kept').waitFor({ state: 'attached' });
    const [list, beside] = [await page.locator('.today').boundingBox(), await view('Swim').boundingBox()];
    expect(beside?.x).toBeGreaterThan((list?.x ?? 0) + (list?.width ?? 0));

    await more(page, 'Read');
    await view('Read').waitFor();
    await page.keyboard.press('Escape'); // only what is on top
    await view('Read').waitFor({ state: 'detached' });
    expect(page.url()).toBe(`${stage.base}/#habit/${ids[0]}`);
    await more(page, 'Read');
    await press(page, 'Month and charts');
    await view('Read').locator('.month').waitFor();
    expect(await view('Swim').count()).toBe(0);
    await page.reload();
    await view('Read').locator('.month').waitFor();
    await tapOn(page, 'Read').focus();
    await page.keyboard.press('Escape');
    await dialogGone(page);
    expect(page.url()).toBe(`${stage.base}/`);

    await page.keyboard.press('o');
    await view('Read').waitFor();
    await page.keyboard.press('Escape');
    await dialogGone(page);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('Read');
    await page.keyboard.press('o');
    await view('Read').waitFor();
    await page.goBack();
    await dialogGone(page);
    await page.keyboard.press('o');
    await view('Read').waitFor();
    await more(page, 'Read');
    await press(page, 'Archive');
    await expect.poll(() => page.locator('dialog').count()).toBe(0); // it went with its habit
    await page.getByText('Archived (1)').waitFor(); // a part of the page that is loaded only now
    await context.setOffline(true);
    await press(page, 'Undo');
    await page.locator('.notice').getByText('This needs a network.').waitFor();
  });

  it('reads of its board only the habit that has changed, and names it at the day that is put right', async () => {
    const { page, context, ids, now } = await withHabits(stage, { Swim: {}, Read: {} }, { viewport: DESK });
    await tapOn(page, 'Read').click();
    const board = page.locator('.aside .board');
    const cell = (id = '') => board.locator(`[data-date="${id} ${now}"]`);
    await expect.poll(() => cell(ids[1]).innerText()).toMatch(/: kept$/);
    await board.getByText('100%').waitFor();
    const asked: string[] = [];
    context.on('request', (request) => {
      const name = /query (Board\w*)/.exec(request.postData() ?? '')?.[1];
      if (name) asked.push(name);
    });
    await cell(ids[0]).click();
    await board.locator('.shown-day').getByText('Swim').waitFor();
    await board.locator('.shown-day').getByRole('button', { name: 'Done', exact: true }).click();
    await expect.poll(() => board.getByText('100%').count()).toBe(2);
    expect(asked).not.toContain('Board');
    expect(asked).toContain('BoardRow');
  });

  it('has no empty half before there is a habit', async () => {
    const ana = await Person.on(stage);
    const { page } = await ana.opens({ viewport: DESK });
    await page.locator('.starter').first().waitFor();
    const box = await page.locator('.today').boundingBox();
    const [left, right] = [box?.x ?? 0, DESK.width - (box?.x ?? 0) - (box?.width ?? 0)];
    expect(Math.abs(left - right)).toBeLessThan(20);
  });

  it('says beside the list that there is no network, and covers no habit', async () => {
    const { page, context } = await withHabits(stage, { Swim: {}, Read: {} }, { ...KEPT, viewport: DESK });
    await isKept(page);
    await context.setOffline(true);
    await tapOn(page, 'Swim').click();
    const list = await page.locator('.today').boundingBox();
    for (const each of ['.toast', '.offline']) {
      const box = await page.locator(each).boundingBox(); // the second when the first is gone
      expect(box?.x).toBeGreaterThan((list?.x ?? 0) + (list?.width ?? 0));
    }
    await more(page, 'Read');
    await press(page, 'Skip today');
    await page.locator('.notice').getByText('This needs a network.').waitFor();
    await page.keyboard.press('Escape');
    await dialogGone(page);
  });
});
