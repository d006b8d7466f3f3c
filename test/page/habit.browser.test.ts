/// <reference lib="dom" />
import { describe, expect, it } from 'vitest';
import { GLASSES, later, listed, more, press, stateOn, withHabits } from '../support/habits.js';
import {
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

describe('The form of a habit', needs('Chromium'), () => {
  journey('says what is wrong at its field, makes a habit with all it may have, and changes it', async () => {
    const ana = await Person.on(stage);
    const { page } = await ana.opens();
    const plan = async () => {
      const schedule = 'schedule { weekdays everyDays timesPer { count period } }';
      const fields = `title points icon colour tags step hasGraceDay ${schedule} target { amount unit }`;
      return (await ana.asks(`{ tasks { nodes { ${fields} } } }`)).tasks.nodes[0];
    };
    const focused = () => page.evaluate(() => document.activeElement?.id);
    const icon = page.locator('dialog summary', { hasText: 'Icon' });
    await press(page, 'New habit');
    await expect.poll(focused).toBe('task.title');
    await page.getByText('Section, tags, points').click();
    await page.getByLabel('What do you want to do?').fill('Swim');
    await page.getByLabel('Points').fill('12');
    await page.getByLabel('When').selectOption('On some weekdays');
    const days = page.locator('fieldset.weekdays');
    for (const box of await days.getByRole('checkbox').all()) await box.uncheck({ force: true });
    await press(page, 'Save');
    await days.getByText('Choose at least one day.').waitFor();
    expect(await days.locator('input:focus').count()).toBe(1);
    for (const name of ['Monday', 'Wednesday', 'Friday']) await page.getByLabel(name).check({ force: true });
    await page.getByLabel('With a target').check();
    await page.getByLabel('How many').fill('1.5');
    await page.getByLabel('Of what').fill('km');
    await page.getByLabel('A tap adds').fill('0.5');
    await page.getByLabel('blue').check();
    await page.getByLabel('Tags').fill('sport, morning');
    await icon.click();
    await page.getByLabel('Another emoji').fill('abc');
    await icon.click();
    await press(page, 'Save');
    await page.getByRole('alert').getByText('One emoji or character.').waitFor(); // unfolded
    expect(await focused()).toBe('task.icon');
    await page.getByLabel('Another emoji').fill('🏊');
    await press(page, 'Save');
    await dialogGone(page);
    expect(await plan()).toEqual({
      title: 'Swim',
      points: 12,
      icon: '🏊',
      colour: 'BLUE',
      tags: ['sport', 'morning'],
      schedule: { weekdays: ['MONDAY', 'WEDNESDAY', 'FRIDAY'], everyDays: null, timesPer: null },
      target: { amount: 1.5, unit: 'km' },
      ...{ step: 0.5, hasGraceDay: false },
    });
    const edit = async (change: () => Promise<unknown>) => {
      await page.locator('.today details').evaluateAll((all: HTMLDetailsElement[]) => {
        for (const details of all) details.open = true; // where it is not due today
      });
      await more(page, 'Swim');
      await press(page, 'Edit');
      await change();
      await press(page, 'Save');
      await dialogGone(page);
      return plan();
    };
    const every = await edit(async () => {
      await page.getByLabel('When').selectOption('Every few days');
      await page.getByLabel('Every how many days?').fill('3');
      await page.getByLabel('One day late is in time').check();
      await page.getByLabel('A tap adds').fill('');
    });
    const schedule = { everyDays: 3, weekdays: null };
    expect(every).toMatchObject({ schedule, hasGraceDay: true, step: null });
    const monthly = await edit(async () => {
      await page.getByLabel('When').selectOption('Some times a month');
      await page.getByLabel('How many days a month?').fill('12');
      await page.getByLabel('With a target').uncheck();
      await page.getByLabel('none').check();
    });
    const timesPer = { count: 12, period: 'MONTH' };
    expect(monthly).toMatchObject({ schedule: { timesPer }, target: null, colour: null });
    expect(await edit(async () => {})).toEqual(monthly);
  });
});

describe("A habit's own view", needs('Chromium'), () => {
  journey('has a month in which days are done and skipped, and charts, and is kept for offline', async () => {
    const { page, context, ids, ana, now } = await withHabits(stage, { Drink: GLASSES }, KEPT);
    const [id = ''] = ids;
    const before = later(now, -1);
    await ana.asks(
      'mutation ($id: ID!, $at: DateTime) { completeTask(taskId: $id, at: $at, note: "cold") { isReplayed } }',
      { id, at: `${before}T12:00:00Z` },
    );
    await isKept(page);
    const dialog = page.getByRole('dialog');
    const look = async () => {
      await more(page, 'Drink');
      await press(page, 'Month and charts');
      for (const name of ['Kept per week', 'Kept by weekday', /How many glasses a day/])
        await dialog.getByRole('table', { name }).waitFor({ state: 'attached' });
      await dialog.getByText('cold').first().waitFor();
    };
    const day = (date: string) => dialog.locator(`.month [data-date="${date}"]`);
    const button = (name: string) => dialog.getByRole('button', { name, exact: true });
    await look();
    expect(await day(now).innerText()).toMatch(/still to do$/);
    await button('Add').click();
    await expect.poll(() => day(now).innerText()).toMatch(/partly done$/);
    await button('Skip').click();
    await dialog.getByText('“Drink” is skipped: what was done stays').waitFor();
    await button('Undo the skip').click();
    await dialog.getByText('“Drink” is not skipped.').waitFor();
    const { score } = (await ana.asks(`{ task(id: ${id}) { score } }`)).task;
    const numbers = dialog.locator('.numbers');
    const said = ['In a row1 day', 'Recorded2 times', `Strength${Math.round(score * 100)}%`];
    for (const words of said) await expect.poll(() => numbers.textContent()).toContain(words);
    const other = later(now, -2);
    await day(other).click();
    await button('Skip').click();
    await expect.poll(() => day(other).innerText()).toMatch(/skipped$/);
    expect(await stateOn(ana, id, other)).toMatchObject({ state: 'SKIPPED' });
    await button('Undo the skip').click();
    await expect.poll(() => day(other).innerText()).not.toMatch(/skipped$/);
    const far = later(now, -40);
    while ((await day(far).count()) === 0) await press(page, 'Month before');
    await day(far).click();
    await dialog.getByText('That is too long ago to be changed.').waitFor();
    expect(await button('Skip').count()).toBe(0);
    await page.keyboard.press('Escape');
    await dialogGone(page);
    await context.setOffline(true);
    await page.reload();
    await row(page, 'Drink').waitFor();
    await look();
    await dialog.getByText('This is what was last known.').waitFor();
  });
});

describe('The settings', needs('Chromium'), () => {
  it('change looks, week and zone, and plan a vacation, which is ended from the list', async () => {
    const { page, ids, ana, now } = await withHabits(stage, { Swim: {} }, { colorScheme: 'light' });
    const looks = () =>
      page.evaluate(() => {
        const bars = [...document.querySelectorAll<HTMLMetaElement>('[name="theme-color"]')];
        const { content } = bars.find(({ media }) => matchMedia(media).matches) ?? {};
        return [getComputedStyle(document.documentElement).backgroundColor, content];
      });
    const light = ['rgb(244, 246, 243)', '#f4f6f3'];
    const dark = ['rgb(15, 21, 19)', '#0f1513'];
    const choose = async (choices: Record<string, string>) => {
      await press(page, 'Settings');
      for (const [name, choice] of Object.entries(choices)) await page.getByLabel(name).selectOption(choice);
      await press(page, 'Save');
      await dialogGone(page);
    };
    expect(await looks()).toEqual(light);
    await choose({ Appearance: 'Dark', 'My week begins on': 'Sunday', 'Time zone': 'Europe/Paris' });
    expect(await looks()).toEqual(dark);
    await page.reload();
    await row(page, 'Swim').waitFor();
    expect(await looks()).toEqual(dark);
    await choose({ Appearance: 'As this device' });
    expect(await looks()).toEqual(light);
    expect(await ana.asks('{ me { weekStartsOn timeZone } }')).toEqual({
      me: { weekStartsOn: 'SUNDAY', timeZone: 'Europe/Paris' },
    });
    await press(page, 'Settings');
    await press(page, 'Plan a vacation');
    await page.getByLabel('From').fill(now);
    await page.getByLabel('To', { exact: true }).fill(later(now, 6));
    await page.getByRole('dialog').getByRole('button', { name: 'Plan a vacation', exact: true }).click();
    await page.getByText('On vacation until').waitFor();
    await page.locator('.today').getByText('Nothing is due today.').waitFor();
    expect(await stateOn(ana, ids[0] ?? '', now)).toMatchObject({ state: 'PAUSED' });
    await press(page, 'End it today');
    await expect.poll(() => listed(page)).toEqual(['Swim']);
  });
});

describe('A challenge', needs('Chromium'), () => {
  journey('is chosen by its length, joined by habits, ended knowingly or full, and listed then', async () => {
    const coffee = { target: { amount: 2, unit: 'cups', kind: 'AT_MOST' } };
    const ana = await Person.on(stage);
    await ana.hasTask('Swim');
    await ana.hasTask('Coffee', coffee);
    const timezoneId = new Date().getUTCHours() < 11 ? 'Pacific/Pago_Pago' : 'Pacific/Kiritimati'; // not of UTC's day
    const set = `mutation { updateProfile(input: { timeZone: "${timezoneId}" }) { user { today } } }`;
    const { today } = (await ana.asks(set)).updateProfile.user;
    const { page } = await ana.opens({ timezoneId });
    const card = page.getByRole('region', { name: 'Challenge' });
    const dialog = page.getByRole('dialog');
    const takesOn = async (index: number) => {
      await card.locator('.templates summary').nth(index).click();
      await card.getByRole('button', { name: 'Start' }).click();
      await card.getByText('No habit counts for it yet. Choose one, or make one for it.').waitFor();
      await press(page, 'Choose habits');
      await dialog.getByLabel('Swim').check();
      expect(await dialog.getByRole('checkbox').count()).toBe(1); // none for a limit
      await press(page, 'Save');
      await dialogGone(page);
    };
    await card.getByText('Take on a challenge').click();
    const days = ['1 day', ...['3', '7', '14', '21', '30', '60'].map((count) => `${count} days`)];
    await expect.poll(() => card.locator('.templates .about').allInnerTexts()).toEqual(days);
    await takesOn(2);
    await tapOn(page, 'Swim').click();
    await card.getByText('Done on 1 of 7 days. Today is day 1.').waitFor();
    expect(await card.getByRole('button', { name: 'Complete' }).count()).toBe(0);
    await card.getByRole('button', { name: 'Give up' }).click();
    await dialog.getByRole('button', { name: 'Give up' }).click();
    await dialogGone(page);
    await tapOn(page, 'Swim').click();
    await saved(page, 'Swim').waitFor({ state: 'detached' });
    await card.getByText('Take on a challenge').click();
    await takesOn(0);
    await tapOn(page, 'Swim').click();
    const notice = page.locator('.notice.joy', { hasText: 'Just Today: Done. Well done!' });
    await card.getByText('Done on 1 of 1 day.').waitFor();
    expect(await card.getByRole('button', { name: 'Give up' }).count()).toBe(0);
    await notice.getByRole('button', { name: 'Complete' }).click();
    await card.getByText('Take on a challenge').click();
    await card.getByText('Past challenges').click();
    await card.getByText(new RegExp(`given up, begun \\D*${Number(today.slice(8))} `)).waitFor();
  });
});
