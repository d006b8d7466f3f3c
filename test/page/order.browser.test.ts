/// <reference lib="dom" />
import { describe, expect } from 'vitest';
import { listed, more, press, withHabits } from '../support/habits.js';
import { DESK, dialogGone, journey, row, saved, stageForTests, tapOn } from '../support/page.js';
import { needs } from '../support/tools.js';

const stage = stageForTests();

describe('The list', needs('Chromium'), () => {
  journey('is searched, narrowed by tags and sections, and put in order by dragging and keys', async () => {
    const { page, ana } = await withHabits(stage, {
      Lér: {},
      Run: { tags: ['Sport'] },
      Swim: { tags: ['sport'], section: 'Morning' },
    });
    const morning = page.locator('.section', { hasText: 'Morning' });
    await tapOn(page, 'Swim').click();
    await saved(page, 'Swim').waitFor();
    await morning.getByText('1 of 1').waitFor();
    await morning.locator('summary').click();
    await expect.poll(() => listed(page)).toEqual(['Lér', 'Run']);
    await page.reload(); // it stays folded on the device
    await expect.poll(() => listed(page)).toEqual(['Lér', 'Run']);
    await press(page, 'Search');
    await page.getByLabel('Search habits').fill('le');
    await expect.poll(() => listed(page)).toEqual(['Lér']);
    await page.getByLabel('Search habits').fill('');
    await page.getByRole('group', { name: 'Tags' }).getByRole('button', { name: 'sport' }).click();
    await expect.poll(() => listed(page)).toEqual(['Run', 'Swim']); // a search finds what is folded
    await press(page, 'Search');

    const sections = async () => {
      const { tasks } = await ana.asks('{ tasks { nodes { title section } } }');
      return tasks.nodes.map(({ title, section }: { title: string; section: string }) => [title, section]);
    };
    await press(page, 'Arrange');
    const handle = (title: string) => page.getByRole('button', { name: `Move ${title}` });
    await handle('Run').press('ArrowDown'); // below the heading
    await expect.poll(sections).toEqual([
      ['Lér', null],
      ['Run', 'Morning'],
      ['Swim', 'Morning'],
    ]);
    const from = await handle('Lér').boundingBox();
    const to = await handle('Swim').boundingBox();
    if (!from || !to) throw new Error('no handles');
    await page.mouse.move(from.x + 20, from.y + 10);
    await page.mouse.down();
    await page.mouse.move(to.x + 20, to.y + to.height - 2, { steps: 5 });
    await page.mouse.up();
    await expect.poll(sections).toEqual([
      ['Run', 'Morning'],
      ['Swim', 'Morning'],
      ['Lér', 'Morning'],
    ]);
  });
});

describe('The board', needs('Chromium'), () => {
  journey('shows the last 31 days of each habit, the share that was kept, and leads to it', async () => {
    const name = 'Donaudampfschifffahrtsgesellschaftskapitän spielen';
    const viewport = { width: 320, height: 640 };
    const { page, ana, ids, now } = await withHabits(stage, { Swim: {}, [name]: {} }, { viewport });
    const [swim = ''] = ids;
    await ana.asks('mutation ($id: ID!) { completeTask(taskId: $id) { isReplayed } }', { id: swim });
    await press(page, 'All habits');
    const board = page.getByRole('dialog', { name: 'All habits' });
    const said = (title: string, state: string) =>
      board.locator('tr', { hasText: title }).getByText(new RegExp(`${Number(now.slice(8))}.*: ${state}$`));
    await said('Swim', 'kept').waitFor({ state: 'attached' });
    await said(name, 'still to do').waitFor({ state: 'attached' });
    const dates = board.locator('tr', { hasText: 'Swim' }).locator('.day');
    expect(await dates.count()).toBe(31);
    expect(await dates.last().getAttribute('data-date')).toBe(`${swim} ${now}`);
    await expect.poll(() => board.locator('.rate').allTextContents()).toEqual(['100% kept', '']);
    await board.locator('.legend li').getByText('still to do').waitFor();
    const { cut, days } = await board.locator('.board-frame').evaluate((frame) => {
      const { right } = frame.getBoundingClientRect();
      const all = [...frame.querySelectorAll<HTMLElement>('.day, .link')];
      const isCut = (each: HTMLElement) =>
        (each.matches('.link') && each.scrollHeight > each.clientHeight) ||
        each.getBoundingClientRect().right > right + 1;
      return {
        cut: all.filter(isCut).length,
        days: all.filter((each) => each.matches('.day') && each.clientWidth > 5).length,
      };
    });
    expect([cut, days], 'a whole month, and whole names').toEqual([0, 2 * 31]);
    await board.getByRole('button', { name: 'Month before' }).click();
    await board.locator('.is-today').waitFor({ state: 'detached' });
    await board.getByRole('button', { name: 'Month after' }).click();
    await said('Swim', 'kept').waitFor({ state: 'attached' });
    await board.getByRole('button', { name: 'Swim' }).click();
    await page.getByRole('dialog', { name: 'Swim' }).waitFor();
    expect(page.url()).toBe(`${stage.base}/#habit/${swim}`);
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
    const besideList = async (selector: string) => {
      const list = await page.locator('.today').boundingBox();
      const beside = await page.locator(selector).boundingBox();
      expect(beside?.x).toBeGreaterThan((list?.x ?? 0) + (list?.width ?? 0));
    };
    await tapOn(page, 'Read').click(); // before, there is nothing to look back on
    const year = page.getByRole('heading', { name: 'The year' });
    await year.waitFor();
    const board = page.locator('.aside .board');
    await board.getByRole('button', { name: 'Swim' }).waitFor();
    await tapOn(page, 'Swim').focus();
    await page.keyboard.press('o');
    await view('Swim').locator('.month').waitFor();
    expect([await year.isVisible(), await board.isVisible()]).toEqual([false, false]);
    expect(page.url()).toBe(`${stage.base}/#habit/${ids[0]}`);
    const head = view('Swim').locator('.dialog-head');
    expect(await head.innerText()).toContain('🏊');
    const colour = head.evaluate((element) => getComputedStyle(element).backgroundColor);
    expect(await colour).toBe('rgb(30, 48, 211)');
    await tapOn(page, 'Swim').click();
    await view('Swim').locator('.month [aria-current]').getByText('kept').waitFor({ state: 'attached' });
    await besideList('dialog');

    await more(page, 'Read');
    await view('Read').waitFor();
    await page.keyboard.press('Escape'); // only what is on top
    await view('Read').waitFor({ state: 'detached' });
    expect(await view('Swim').count()).toBe(1);
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

    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('Read');
    await page.keyboard.press('o');
    await view('Read').waitFor();
    await more(page, 'Read');
    await press(page, 'Archive');
    await expect.poll(() => page.locator('dialog').count()).toBe(0); // it went with its habit
    await page.getByText('Archived (1)').waitFor(); // a part of the page that is loaded only now
    await context.setOffline(true);
    await press(page, 'Undo');
    await page.locator('.notice').getByText('This needs a network.').waitFor();
    await besideList('.floating .notice');
  });
});
