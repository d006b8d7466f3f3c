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
import { dialogGone, journey, Person, PHONE, row, saved, stageForTests, tapOn } from '../support/page.js';
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

    expect(await page.locator('h1').innerText()).toMatch(
      new RegExp(`${Number(now.slice(8))} .*Good \\w+, Ana$`),
    );
    expect(await page.locator('.strip button').count()).toBe(7);
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
    const joy = page.locator('.joy').evaluate((element) => getComputedStyle(element).animationName);
    expect(await joy).toBe('rise');
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
      const isWrong = await amount.evaluate((field: HTMLInputElement) => !field.validity.valid);
      expect(isWrong, typed).toBe(isRefused);
    }
    await page.mouse.up();
    await page.getByLabel('Note').fill('from the fountain');
    await press(page, 'Add');
    await saved(page, 'Tea').getByText('3 of 8 glasses').waitFor();
    expect(await stateOn(ana, tea, now)).toMatchObject({ amount: 3, notes: ['from the fountain'] });
    const day = later(now, -3);
    await page.locator(`[data-day="${day}"]`).click();
    await page.locator('p', { hasText: 'Nothing was due on this day.' }).waitFor();
    await tapOn(page, 'Tea').click();
    await saved(page, 'Tea').getByText('1 of 8 glasses').waitFor();
    expect(await stateOn(ana, tea, day)).toMatchObject({ state: 'PARTIAL', amount: 1 });
    await page.locator(`[data-day="${now}"]`).click();
    await page.getByRole('heading', { name: 'Today' }).waitFor();
    await row(page, 'Tea').getByText('3 of 8 glasses').waitFor();
  });

  it('counts minutes by a timer that survives a reload, shows in the title, and adds them once', async () => {
    const { page, ana } = await withHabits(stage, {
      Meditate: { target: { amount: 30, unit: 'minutes' } },
    });
    await more(page, 'Meditate');
    await press(page, 'Start the timer');
    await dialogGone(page);
    await page.getByRole('timer').waitFor();
    await page.evaluate(() => {
      const name = Object.keys(localStorage).find((each) => each.endsWith('timer')) ?? '';
      const timer = JSON.parse(localStorage.getItem(name) ?? '{}');
      localStorage.setItem(name, JSON.stringify({ ...timer, from: timer.from - 25 * 60_000 }));
    });
    await page.reload();
    const timer = page.getByRole('timer');
    await timer.getByText(/^25:\d\d · Meditate$/).waitFor();
    await expect.poll(() => page.title()).toMatch(/^25:\d\d · Meditate$/);
    await timer.getByRole('button', { name: 'Stop' }).click();
    await saved(page, 'Meditate').getByText('25 of 30 minutes').waitFor();
    expect(await ana.completions()).toBe(1);
    await expect.poll(() => page.title()).toBe('Steady');
  });
});

describe('The menu of a habit', needs('Chromium'), () => {
  journey('skips a day, also a begun one, pauses, archives, restores and deletes', async () => {
    const { page, ids, ana, now } = await withHabits(stage, { Swim: {}, Read: {}, Drink: GLASSES });
    const [id = '', , drink] = ids;
    await more(page, 'Swim');
    await press(page, 'Skip today');
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
    expect(await page.getByText('Remind me').count()).toBe(0); // this service can send nothing
    await press(page, 'Archive');
    await page.getByText('Archived (1)').click();
    expect(await listed(page)).toEqual(['Read', 'Drink']);
    await press(page, 'Restore Swim');
    await expect.poll(() => listed(page)).toEqual(['Swim', 'Read', 'Drink']);

    await tapOn(page, 'Drink').click();
    await saved(page, 'Drink').waitFor();
    await more(page, 'Drink');
    await press(page, 'Skip today');
    await page.locator('.notice').getByText('“Drink” is skipped: what was done stays').waitFor();
    await dialogGone(page);
    await page.reload(); // and on every device
    await page.getByText('Not today (1)').click(); // what is skipped is not asked for, begun or not
    await row(page, 'Drink').getByText('skipped').waitFor();
    expect(await ana.completions()).toBe(1);
    await more(page, 'Drink');
    await press(page, 'Delete');
    const sure = page.getByRole('dialog', { name: 'Delete “Drink”?' });
    await sure.getByText('Its whole history goes with it').waitFor();
    await press(page, 'Delete it for good');
    await expect.poll(() => listed(page)).toEqual(['Swim', 'Read']);
    expect(await ana.asks(`{ task(id: ${drink}) { id } }`)).toEqual({ task: null });
    expect(await ana.completions()).toBe(0);
  });
});

describe('Who has travelled', needs('Chromium'), () => {
  it('is asked once whether the days follow the device', async () => {
    const ana = await Person.on(stage);
    await ana.hasTask('Read');
    const { page } = await ana.opens({ timezoneId: 'America/New_York' });
    const asked = page.getByText('You seem to be in New York. Follow it?');
    await asked.waitFor();
    await press(page, 'Stay in Berlin');
    await asked.waitFor({ state: 'detached' });
    await page.reload();
    await row(page, 'Read').waitFor();
    expect(await asked.count()).toBe(0);
    await page.evaluate(() => localStorage.removeItem('steady/page:elsewhere'));
    await page.reload();
    await press(page, 'Follow');
    await asked.waitFor({ state: 'detached' });
    expect((await ana.asks('{ me { timeZone } }')).me.timeZone).toBe('America/New_York');
  });
});
