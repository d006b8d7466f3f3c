/// <reference lib="dom" />
import { describe, expect, it } from 'vitest';
import {
  allBut,
  GLASSES,
  later,
  listed,
  more,
  press,
  stateOn,
  today,
  undoInMenu,
  withHabits,
} from '../support/habits.js';
import {
  dialogGone,
  intercept,
  journey,
  Person,
  PHONE,
  row,
  saved,
  stageForTests,
  tapOn,
} from '../support/page.js';
import { needs } from '../support/tools.js';

const stage = stageForTests();

describe('Today', needs('Chromium'), () => {
  journey('is opened, done, taken back and done again, with a small joy when all is done', async () => {
    const ana = await Person.on(stage);
    const now = await today(ana);
    await ana.hasTask('Rest', allBut(now));
    await ana.hasTask('Swim', { icon: '🏊', colour: 'BLUE' });
    await ana.hasTask('Read');
    const { page } = await ana.opens({ viewport: PHONE, reducedMotion: 'no-preference' });
    await row(page, 'Read').waitFor();

    const [, month, day] = new Date(now).toUTCString().split(' ').slice(0, 3).reverse();
    expect(await page.locator('h1').innerText()).toMatch(
      new RegExp(`^\\w{3},? ${Number(month)} ${day === '' ? '' : '\\w{3}'} +Good \\w+, Ana$`),
    );
    expect(await page.locator('.strip button').count()).toBe(7);
    const middle = (selector: string) =>
      page.locator(`.strip [aria-pressed=true] .number > ${selector}`).evaluate((element) => {
        const { top, bottom } = element.getBoundingClientRect();
        return Math.round((top + bottom) / 2);
      });
    expect(await middle('span:last-child')).toBe(await middle('.ring-frame'));
    const styleOf = (selector: string, name: 'animationName' | 'overflow') =>
      page
        .locator(selector)
        .first()
        .evaluate((element, name) => getComputedStyle(element)[name], name);
    expect(await styleOf('.strip .ring', 'overflow')).toBe('visible');
    expect(await row(page, 'Swim').innerText()).toContain('🏊');
    expect(await row(page, 'Swim').getAttribute('class')).toContain('colour-blue');

    await tapOn(page, 'Swim').click();
    await row(page, 'Swim').getByText('saved').waitFor();
    await saved(page, 'Swim').getByText('1 day in a row').waitFor();
    expect(await tapOn(page, 'Swim').getAttribute('aria-pressed')).toBe('true');
    await expect.poll(() => listed(page)).toEqual(['Read', 'Swim']); // when the hand is away
    expect(await page.locator('.today h3').innerText()).toBe('Done');
    await page.locator('.card-head').getByText('1 of 2 done').waitFor();
    await page.getByText('Not today (1)').click();
    expect(await listed(page)).toEqual(['Read', 'Swim', 'Rest']);

    await tapOn(page, 'Swim').press('Space');
    await saved(page, 'Swim').waitFor({ state: 'detached' });
    expect(await ana.completions()).toBe(0);
    await tapOn(page, 'Swim').click(); // what was undone can be done again
    await saved(page, 'Swim').waitFor();
    expect(await ana.completions()).toBe(1);
    await tapOn(page, 'Read').click();
    await page.getByText('Well done!').waitFor();
    expect(await styleOf('.joy', 'animationName')).toBe('rise');
  });

  journey('adds amounts by taps, when it is held, by the menu, and on a day of the strip', async () => {
    const { page, ids, ana, now } = await withHabits(stage, {
      Drink: { target: { amount: 2.5, unit: 'glasses' } },
      Tea: GLASSES,
    });
    const [drink = '', tea = ''] = ids;
    for (const amount of ['1', '2', '2.5']) {
      await tapOn(page, 'Drink').click();
      await saved(page, 'Drink').getByText(`${amount} of 2.5 glasses`).waitFor();
      const drawn = await row(page, 'Drink').locator('.share').getAttribute('stroke-dasharray');
      expect(drawn).toBe(`${Number(amount) / 2.5} 1`);
    }
    expect(await stateOn(ana, drink, now)).toMatchObject({ state: 'KEPT', amount: 2.5 });
    await more(page, 'Drink');
    await undoInMenu(page);
    await saved(page, 'Drink').getByText('2 of 2.5 glasses').waitFor();
    await dialogGone(page);

    await tapOn(page, 'Tea').hover();
    await page.mouse.down();
    const amount = page.getByLabel('How many glasses?');
    for (const [typed, isRefused] of [
      ['2,500', true], // glasses, or thousands: nobody knows
      ['.5', false],
      ['2,5', false], // as those write it who type it in another language than the page's
      ['3', false],
    ] as const) {
      await amount.fill(typed);
      expect([typed, await amount.evaluate((field: HTMLInputElement) => !field.validity.valid)]).toEqual([
        ...[typed, isRefused],
      ]);
    }
    await page.mouse.up();
    await page.getByLabel('Note').fill('from the fountain');
    await press(page, 'Add');
    await saved(page, 'Tea').getByText('3 of 8 glasses').waitFor();
    expect(await stateOn(ana, tea, now)).toMatchObject({ amount: 3, notes: ['from the fountain'] });
    await more(page, 'Tea');
    await press(page, 'Amount and note');
    await page.getByText('3 glasses').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Note', exact: true }).click();
    await page.getByRole('textbox', { name: 'Note' }).fill('from the well');
    await press(page, 'Save');
    await expect.poll(() => stateOn(ana, tea, now)).toMatchObject({ notes: ['from the well'] });
    await dialogGone(page);

    const day = later(now, -3);
    await page.locator(`[data-day="${day}"]`).click();
    await page.locator('p', { hasText: 'Nothing was due on this day.' }).waitFor();
    await tapOn(page, 'Tea').click();
    await saved(page, 'Tea').getByText('1 of 8 glasses').waitFor();
    expect(await stateOn(ana, tea, day)).toMatchObject({ state: 'PARTIAL', amount: 1 });
    for (const amount of ['1', '2', '2.5']) {
      await tapOn(page, 'Drink').click();
      await saved(page, 'Drink').getByText(`${amount} of 2.5 glasses`).waitFor();
    }
    expect(await stateOn(ana, drink, day)).toMatchObject({ state: 'KEPT' });
    expect(await stateOn(ana, drink, now)).toMatchObject({ amount: 2 });
    await page.locator(`[data-day="${day}"]`).getByText('1 of 2 done').waitFor({ state: 'attached' });
    await more(page, 'Drink');
    await undoInMenu(page);
    await saved(page, 'Drink').getByText('2 of 2.5 glasses').waitFor();
    await dialogGone(page);
    expect(await stateOn(ana, drink, day)).toMatchObject({ amount: 2 });
    await page.locator(`[data-day="${now}"]`).click();
    await page.getByRole('heading', { name: 'Today' }).waitFor();
    await row(page, 'Tea').getByText('3 of 8 glasses').waitFor();
  });

  it('counts minutes by a timer that survives a reload, shows in the title, and adds them once', async () => {
    const { page, context, ana } = await withHabits(stage, {
      Meditate: { target: { amount: 30, unit: 'minutes' } },
      Read: { target: { amount: 20, unit: 'pages' } },
    });
    await more(page, 'Read');
    await page.getByRole('button', { name: 'Skip today' }).waitFor();
    expect(await page.getByRole('button', { name: 'Start the timer' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await dialogGone(page);
    await more(page, 'Meditate');
    await press(page, 'Start the timer');
    await dialogGone(page);
    await page.getByRole('timer').getByText('0:0').waitFor();
    await page.evaluate((ms) => {
      const name = Object.keys(localStorage).find((each) => each.endsWith('timer')) ?? '';
      const timer = JSON.parse(localStorage.getItem(name) ?? '{}');
      localStorage.setItem(name, JSON.stringify({ ...timer, from: timer.from - ms }));
    }, 25 * 60_000);
    await page.reload();
    const timer = page.getByRole('timer');
    await timer.getByText(/^25:\d\d · Meditate$/).waitFor();
    await expect.poll(() => page.title()).toMatch(/^25:\d\d · Meditate$/);
    const second = await context.newPage();
    await second.goto(`${stage.base}/`);
    await second.getByRole('timer').waitFor();
    await Promise.all(
      [page, second].map((each) => each.getByRole('timer').getByRole('button', { name: 'Stop' }).click()),
    );
    await saved(page, 'Meditate').getByText('25 of 30 minutes').waitFor();
    expect(await ana.completions()).toBe(1);
    await expect.poll(() => page.title()).toBe('Steady');
    await more(page, 'Meditate');
    await press(page, 'Start the timer');
    await timer.getByRole('button', { name: 'Discard' }).click();
    await timer.waitFor({ state: 'detached' });
    expect(await ana.completions()).toBe(1);
  });
});

describe('The menu of a habit', needs('Chromium'), () => {
  journey('skips a day and takes that back, pauses, archives and restores', async () => {
    const { page, ids, ana, now } = await withHabits(stage, { Swim: {}, Read: {} });
    const [id = ''] = ids;
    await more(page, 'Swim');
    await press(page, 'Skip today');
    await page.getByText('Not today (1)').waitFor();
    expect(await stateOn(ana, id, now)).toMatchObject({ state: 'SKIPPED' });
    await page.getByText('Not today (1)').click();
    await more(page, 'Swim');
    await press(page, 'Say why');
    await page.getByRole('textbox', { name: 'Note' }).fill('ill');
    await press(page, 'Save');
    await dialogGone(page);
    expect(await stateOn(ana, id, now)).toMatchObject({ state: 'SKIPPED', notes: ['ill'] });
    await more(page, 'Swim');
    await press(page, 'Undo the skip');
    await page.getByText('Not today').waitFor({ state: 'detached' });
    await dialogGone(page);

    await more(page, 'Swim');
    await press(page, 'Pause');
    await page.getByLabel('From').fill(now);
    await page.getByRole('dialog').getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByText('Not today (1)').click();
    expect(await stateOn(ana, id, now)).toMatchObject({ state: 'PAUSED' });
    await more(page, 'Swim');
    await press(page, 'End the pause');
    await page.getByText('Not today').waitFor({ state: 'detached' });
    await dialogGone(page);

    await more(page, 'Swim');
    await press(page, 'Archive');
    await page.getByText('Archived (1)').click();
    expect(await listed(page)).toEqual(['Read']);
    await press(page, 'Restore Swim');
    await expect.poll(() => listed(page)).toEqual(['Swim', 'Read']);
  });

  it('says that a day is skipped, and takes it back at once', async () => {
    const { page, ids, ana, now } = await withHabits(stage, { Swim: {}, Read: {} });
    await more(page, 'Swim');
    await press(page, 'Skip today');
    await page.locator('.notice').getByText('“Swim” is skipped: this day breaks no run.').waitFor();
    await dialogGone(page);
    await press(page, 'Undo');
    await expect.poll(() => listed(page)).toHaveLength(2);
    expect(await stateOn(ana, ids[0] ?? '', now)).toMatchObject({ state: 'OPEN' });
  });

  it('closes itself when what takes long is done, and no other dialog that is in use by then', async () => {
    const { page, context } = await withHabits(stage, { Swim: {}, Read: {} });
    const answered = Promise.withResolvers<void>();
    const skipped = await intercept(context, 'skipDay', async (route) => {
      await answered.promise;
      await route.continue();
    });
    await more(page, 'Swim');
    await press(page, 'Skip today');
    await expect.poll(() => skipped.count).toBe(1);
    await page.keyboard.press('Escape');
    await dialogGone(page);
    await press(page, 'New habit');
    const title = page.getByLabel('What do you want to do?');
    await title.fill('Run');
    answered.resolve();
    await page.getByRole('dialog').getByText('“Swim” is skipped').waitFor();
    expect(await title.inputValue()).toBe('Run');
    await press(page, 'Save');
    await row(page, 'Run').waitFor();
    await dialogGone(page);
  });

  it('takes no other dialog away where its own part comes late', async () => {
    const { page, context } = await withHabits(stage, { Swim: {} });
    const come = Promise.withResolvers<void>();
    await context.route('**/assets/later-views-*.js', async (route) => {
      await come.promise;
      await route.continue();
    });
    const late = page.waitForResponse(/later-views-.*js/);
    await more(page, 'Swim');
    await press(page, 'Check-in link');
    await page.keyboard.press('Escape');
    await dialogGone(page);
    await press(page, 'New habit');
    const title = page.getByLabel('What do you want to do?');
    await title.fill('Run');
    come.resolve();
    await (await late).finished();
    await page.evaluate(`import('${(await late).url()}').then(() => new Promise(requestAnimationFrame))`);
    expect(await title.inputValue()).toBe('Run');
  });

  it('skips a day that has begun, says that it needs a network, and deletes in red after a warning', async () => {
    const { page, context, ids, ana, now } = await withHabits(stage, { Drink: GLASSES, Read: {} });
    const neutral = async () => {
      const query =
        'query ($id: ID!, $on: Date!) { task(id: $id) { statistics(from: $on, to: $on) { neutralDays } } }';
      return (await ana.asks(query, { id: ids[0], on: now })).task.statistics.neutralDays;
    };
    await tapOn(page, 'Drink').click();
    await saved(page, 'Drink').waitFor();
    await more(page, 'Drink');
    await press(page, 'Skip today');
    await page.locator('.notice').getByText('“Drink” is skipped: what was done stays').waitFor();
    expect(await neutral()).toBe(1);
    await dialogGone(page);
    await page.reload(); // and on every device
    await page.getByText('Not today (1)').click(); // what is skipped is not asked for, begun or not
    await row(page, 'Drink').getByText('skipped').waitFor();
    await more(page, 'Drink');
    await press(page, 'Undo the skip');
    await dialogGone(page);
    expect(await neutral()).toBe(0);

    await more(page, 'Read');
    await context.setOffline(true);
    await press(page, 'Skip today');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('This needs a network.').waitFor();
    await context.setOffline(false);
    await page.keyboard.press('Escape');
    await dialogGone(page);
    await tapOn(page, 'Read').click();
    await saved(page, 'Read').waitFor();
    expect(await ana.completions()).toBe(2);

    await more(page, 'Drink');
    await press(page, 'Delete');
    const sure = page.getByRole('dialog', { name: 'Delete “Drink”?' });
    await sure.getByText('Its whole history goes with it').waitFor();
    expect(await sure.getByRole('button', { name: 'Delete it for good' }).getAttribute('class')).toContain(
      'danger',
    );
    await press(page, 'Delete it for good');
    await expect.poll(() => listed(page)).toEqual(['Read']);
    await dialogGone(page);
    expect(await ana.asks('query ($id: ID!) { task(id: $id) { id } }', { id: ids[0] })).toEqual({
      task: null,
    });
    expect(await ana.completions()).toBe(1);
  });

  it.each([
    ['skipDay', 'Skip today', 'Not today (1)'],
    ['archiveTask', 'Archive', 'Archived (1)'],
  ])(
    'says that nothing was done while the database is away, and lets it be tried again: %s',
    async (field, name, done) => {
      const { page, context } = await withHabits(stage, { Swim: {}, Read: {} });
      const extensions = { reason: 'DATABASE_AWAY', outcome: 'NOT_APPLIED' };
      const away = {
        json: { errors: [{ message: 'Service unavailable, nothing was changed', extensions }] },
      };
      await intercept(context, field, (route, count) =>
        count === 1 ? route.fulfill(away) : route.continue(),
      );
      await more(page, 'Swim');
      await press(page, name);
      await page.getByRole('dialog').getByText('That was not done: the service does not answer.').waitFor();
      await press(page, name);
      await page.getByText(done).waitFor();
      await dialogGone(page);
      expect(await page.getByText('That was not done').count()).toBe(0);
    },
  );
});
