/// <reference lib="dom" />
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { fr } from '../../src/page/texts/fr.js';
import { GLASSES, later, listed, more, press, stateOn, withHabits } from '../support/habits.js';
import {
  ACCOUNT,
  dialogGone,
  faultOf,
  fillPasswords,
  intercept,
  isKept,
  journey,
  KEPT,
  openDialog,
  Person,
  row,
  saved,
  stageForTests,
  tapOn,
} from '../support/page.js';
import { needs } from '../support/tools.js';

const stage = stageForTests();

describe('The form of a habit', needs('Chromium'), () => {
  const plan = async (ana: Person) => {
    const fields =
      'title points icon colour tags step hasGraceDay schedule { weekdays everyDays timesPer { count period } } target { amount unit }';
    return (await ana.asks(`{ tasks { nodes { ${fields} } } }`)).tasks.nodes.at(-1);
  };

  journey('takes no points of 0, makes a habit with all that it may have, and changes it', async () => {
    const ana = await Person.on(stage);
    const { page } = await ana.opens();
    await press(page, 'New habit');
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('task.title');
    await page.getByText('Section, tags, points').click();
    await page.getByLabel('What do you want to do?').fill('Swim');
    await page.getByLabel('Points').fill('0');
    await press(page, 'Save');
    expect(
      await page.getByLabel('Points').evaluate((field: HTMLInputElement) => field.validity.rangeUnderflow),
    ).toBe(true);
    await page.getByLabel('Points').fill('12');
    await page.getByLabel('When').selectOption('On some weekdays');
    for (const [index, name] of [
      'Monday',
      'Tuesday',
      'Wednesday',
      'Thursday',
      'Friday',
      'Saturday',
      'Sunday',
    ].entries())
      await page.getByLabel(name).setChecked(index % 2 === 0 && index < 5);
    await page.getByLabel('With a target').check();
    await page.getByLabel('How many').fill('1.5');
    await page.getByLabel('Of what').fill('km');
    await page.getByLabel('A tap adds').fill('0.5');
    await page.getByLabel('blue').check();
    await page.locator('dialog summary', { hasText: 'Icon' }).click();
    await page.getByLabel('Another emoji').fill('🏊');
    await page.getByLabel('Tags').fill('sport, morning');
    await press(page, 'Save');
    await dialogGone(page);
    expect(await plan(ana)).toEqual({
      title: 'Swim',
      points: 12,
      icon: '🏊',
      colour: 'BLUE',
      tags: ['sport', 'morning'],
      schedule: { weekdays: ['MONDAY', 'WEDNESDAY', 'FRIDAY'], everyDays: null, timesPer: null },
      target: { amount: 1.5, unit: 'km' },
      ...{ step: 0.5, hasGraceDay: false },
    });
    const sent: object[] = [];
    page.on('request', (request) => {
      const { query = '', variables } = request.postDataJSON() ?? {};
      if (/mutation update/.test(query)) sent.push(variables.input);
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
      return plan(ana);
    };
    const every = await edit(async () => {
      await page.getByLabel('When').selectOption('Every few days');
      await page.getByLabel('Every how many days?').fill('3');
      await page.getByLabel('One day late is in time').check();
      await page.getByLabel('A tap adds').fill('');
    });
    expect(every).toMatchObject({
      schedule: { everyDays: 3, weekdays: null },
      hasGraceDay: true,
      step: null,
    });
    const monthly = await edit(async () => {
      await page.getByLabel('When').selectOption('Some times a month');
      await page.getByLabel('How many days a month?').fill('12');
      await page.getByLabel('With a target').uncheck();
      await page.getByLabel('none').check();
    });
    expect(monthly).toMatchObject({
      schedule: { timesPer: { count: 12, period: 'MONTH' } },
      target: null,
      colour: null,
    });
    expect(await edit(async () => {})).toEqual(monthly);
    expect(sent).toHaveLength(2); // what is as it was is not sent
    expect(sent[1]).not.toHaveProperty('title');
  });
});

describe("A habit's own view", needs('Chromium'), () => {
  journey('has its month, in which days of the window are done, taken back and skipped', async () => {
    const { page, ids, ana, now } = await withHabits(stage, { Drink: GLASSES });
    const [id = ''] = ids;
    await more(page, 'Drink');
    await press(page, 'Month and charts');
    const dialog = page.getByRole('dialog');
    const day = (date: string) => dialog.locator(`.month [data-date="${date}"]`);
    await day(now).waitFor();
    expect(await day(now).innerText()).toMatch(/still to do$/);
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await expect.poll(() => day(now).innerText()).toMatch(/partly done$/);
    await dialog.getByRole('button', { name: 'Skip', exact: true }).click();
    await dialog.getByText('“Drink” is skipped: what was done stays').waitFor();
    await dialog.getByRole('button', { name: 'Undo the skip' }).click();
    await dialog.getByText('“Drink” is not skipped.').waitFor();
    const before = later(now, -1);
    await day(before).click();
    await dialog.getByRole('button', { name: 'Skip' }).click();
    await expect.poll(() => day(before).innerText()).toMatch(/skipped$/);
    expect(await stateOn(ana, id, before)).toMatchObject({ state: 'SKIPPED' });
    await dialog.getByRole('button', { name: 'Undo the skip' }).click();
    await expect.poll(() => day(before).innerText()).not.toMatch(/skipped$/);
    const far = later(now, -40);
    while ((await day(far).count()) === 0) await press(page, 'Month before');
    await day(far).click();
    await dialog.getByText(/: not due, 0 of 8 glasses$/).waitFor();
    await dialog.getByText('That is too long ago to be changed.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Skip' }).count()).toBe(0);
    await day(far).focus();
    await page.keyboard.press('ArrowRight');
    const focused = await page.evaluate(() => (document.activeElement as HTMLElement).dataset.date);
    expect([later(far, 1), undefined]).toContain(focused); // at the end of a month there is none
  });

  it('has numbers, charts with a table each, and notes by day, and is kept for offline', async () => {
    const { page, context, ids, ana, now } = await withHabits(stage, { Drink: GLASSES }, KEPT);
    const query =
      'mutation ($id: ID!, $at: DateTime, $note: String) { completeTask(taskId: $id, at: $at, note: $note) { isReplayed } }';
    await ana.asks(query, { id: ids[0] });
    for (const days of [1, 2])
      await ana.asks(query, { id: ids[0], at: `${later(now, -days)}T12:00:00Z`, note: 'cold' });
    await isKept(page);
    const look = async () => {
      await more(page, 'Drink');
      await press(page, 'Month and charts');
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Recorded', { exact: true }).waitFor();
      for (const name of ['Kept per week', 'Kept by weekday', /How many glasses a day/])
        await dialog.getByRole('table', { name }).waitFor({ state: 'attached' });
      return dialog;
    };
    const dialog = await look();
    const { score } = (await ana.asks(`{ task(id: ${ids[0]}) { score } }`)).task;
    for (const [name, value] of [
      ['In a row', '3 days'],
      ['Longest run', '3 days'],
      ['Recorded', '3 times'],
      ['Strength', `${Math.round(score * 100)}%`],
    ])
      expect(await dialog.locator('.numbers div', { hasText: new RegExp(`^${name}`) }).innerText()).toContain(
        value,
      );
    expect(await dialog.getByRole('table', { name: 'Kept by weekday' }).locator('tr').count()).toBe(7);
    expect(await dialog.getByText('cold').count()).toBeGreaterThanOrEqual(2);
    await page.keyboard.press('Escape');
    await dialogGone(page);
    await context.setOffline(true);
    await page.reload();
    await row(page, 'Drink').waitFor();
    await (await look()).getByText('This is what was last known.').waitFor();
  });
});

describe('What a habit says of itself', needs('Chromium'), () => {
  it('has no target of a week on a day, and breaks no word in German', async () => {
    const target = { amount: 20, unit: 'km', per: 'WEEK' };
    const { page } = await withHabits(stage, { Laufen: { target } }, { locale: 'de-DE' });
    await tapOn(page, 'Laufen').click();
    await saved(page, 'Laufen').waitFor();
    await press(page, 'Mehr zu Laufen');
    const dialog = page.getByRole('dialog');
    const lines = dialog.getByRole('button', { name: 'Rückgängig', exact: true }).evaluate((button) => {
      const text = button.firstChild as Text;
      const word = document.createRange();
      word.setStart(text, text.data.indexOf('Rück'));
      word.setEnd(text, text.length);
      return word.getClientRects().length;
    });
    expect(await lines).toBe(1);
    await press(page, 'Monat und Diagramme');
    const table = dialog.getByRole('table', { name: 'km pro Tag' });
    await table.waitFor({ state: 'attached' });
    expect(await table.locator('td').allTextContents()).toEqual(['1 km']);
  });

  it('shows a day of a week as done, and a slip in no colour of success', async () => {
    const piano = { amount: 60, unit: 'minutes', per: 'WEEK' };
    const none = { amount: 0, unit: 'cigarettes', kind: 'AT_MOST' };
    const { page, ids, ana, now } = await withHabits(stage, {
      Piano: { target: piano },
      Smoke: { target: none },
    });
    const dialog = page.getByRole('dialog');
    await more(page, 'Smoke');
    await press(page, 'Month and charts');
    await dialog.locator('.chart.is-exceeded').waitFor();
    expect(await dialog.getByRole('button', { name: 'I slipped' }).getAttribute('class')).toBe('quiet');
    await page.keyboard.press('Escape');
    await dialogGone(page);
    const isMonday = new Date(now).getUTCDay() === 1;
    const before = later(now, isMonday ? -2 : -1); // the last day of a week is told by its share
    await page.locator(`[data-day="${before}"]`).click();
    await tapOn(page, 'Piano').click();
    await saved(page, 'Piano').locator('.ring.full').waitFor();
    expect(await stateOn(ana, ids[0] ?? '', before)).toMatchObject({ amount: 1 });
  });

  it('is kept or missed by the week, where the target is one of a week', async () => {
    const piano = { amount: 60, unit: 'minutes', per: 'WEEK' };
    const { page, context, ana, ids } = await withHabits(stage, { Piano: { target: piano } });
    const begun = 'mutation ($id: ID!) { completeTask(taskId: $id, amount: 5) { isReplayed } }';
    await ana.asks(begun, { id: ids[0] });
    await intercept(context, 'query Habit(', async (route) => {
      const answer = await route.fetch();
      const json = await answer.json(); // of somebody who has had it for long
      const [kept, missed, passedOver] = json.data.task.statistics.by.slice(-4);
      Object.assign(kept, { dueCount: 1, keptCount: 1 });
      Object.assign(missed, { dueCount: 1, keptCount: 0 });
      Object.assign(passedOver, { dueCount: 0, keptCount: 0 });
      await route.fulfill({ response: answer, json });
    });
    await more(page, 'Piano');
    await press(page, 'Month and charts');
    const table = page.getByRole('table', { name: 'Kept per week' });
    await table.waitFor({ state: 'attached' });
    expect(await table.locator('td').allTextContents()).toEqual([
      ...['kept', 'missed', 'not due', '5 of 60 minutes this week'],
    ]);
    const bars = page.locator('figure', { has: table }).locator('.done');
    const shares = bars.evaluateAll((all) => all.map((bar) => Number(bar.getAttribute('height')) / 60));
    expect(await shares).toEqual([1, 0, 0, 5 / 60]);
    const widest = bars.evaluateAll((all) =>
      Math.max(...all.map((bar) => bar.getBoundingClientRect().width)),
    );
    expect(await widest).toBeLessThan(24.5);
    await page.locator('figure', { has: table }).getByText('1 week in all.').waitFor();
  });

  it('counts no more days than were asked for as some of them, and has a French colon', async () => {
    const { page, context } = await withHabits(stage, { Lire: {} }, { locale: 'fr-FR' });
    await intercept(context, 'query Habit(', async (route) => {
      const answer = await route.fetch();
      const json = await answer.json();
      const [before, now] = json.data.task.statistics.by.slice(-2);
      Object.assign(before, { dueCount: 7, keptCount: 3 });
      Object.assign(now, { dueCount: 1, keptCount: 3 }); // two of them are from before it was made
      await route.fulfill({ response: answer, json });
    });
    await press(page, fr.row.more('Lire'));
    await press(page, fr.menu.month);
    const table = page.getByRole('table', { name: fr.habit.perWeek });
    await table.waitFor({ state: 'attached' });
    expect(await table.locator('td').allTextContents()).toEqual(['3 jours sur 7', '3 jours']);
    expect(await page.locator('.shown-day p').first().textContent()).toMatch(/\d\u00a0: à faire$/);
  });
});

describe('The list', needs('Chromium'), () => {
  journey('is searched, narrowed by tags, and put in order by dragging and by keys', async () => {
    const { page } = await withHabits(stage, {
      Swim: { tags: ['sport'] },
      Run: { tags: ['Sport'] },
      Lér: {},
    });
    await press(page, 'Search');
    await page.getByLabel('Search habits').fill('le');
    await expect.poll(() => listed(page)).toEqual(['Lér']);
    await page.getByLabel('Search habits').fill('');
    await page.getByRole('group', { name: 'Tags' }).getByRole('button', { name: 'sport' }).click();
    await expect.poll(() => listed(page)).toEqual(['Swim', 'Run']);
    await press(page, 'Search');
    await expect.poll(() => listed(page)).toEqual(['Swim', 'Run', 'Lér']);

    await press(page, 'Arrange');
    const handle = (title: string) => page.getByRole('button', { name: `Move ${title}` });
    const from = await handle('Lér').boundingBox();
    const to = await handle('Swim').boundingBox();
    if (!from || !to) throw new Error('Nothing can be dragged');
    await page.mouse.move(from.x + 20, from.y + 20);
    await page.mouse.down();
    await page.mouse.move(to.x + 20, to.y + 2, { steps: 5 });
    await page.mouse.up();
    await expect.poll(() => listed(page)).toEqual(['Lér', 'Swim', 'Run']);
    await handle('Lér').focus();
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => listed(page)).toEqual(['Swim', 'Lér', 'Run']);
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => listed(page)).toEqual(['Swim', 'Run', 'Lér']);
  });
});

describe('The settings', needs('Chromium'), () => {
  it('change week and zone, plan a vacation, warn in red and tell success in green', async () => {
    const { page, ids, ana, now } = await withHabits(stage, { Swim: {} });
    await press(page, 'Settings');
    await page.getByLabel('My week begins on').selectOption('Sunday');
    await page.getByLabel('Time zone').selectOption('Europe/Paris');
    await press(page, 'Save');
    await dialogGone(page);
    expect(await ana.asks('{ me { weekStartsOn timeZone } }')).toEqual({
      me: { weekStartsOn: 'SUNDAY', timeZone: 'Europe/Paris' },
    });
    await press(page, 'Settings');
    await press(page, 'Plan a vacation');
    await page.getByLabel('From').fill(now);
    await page.getByLabel('To', { exact: true }).fill(later(now, 6));
    await page.getByRole('dialog').getByRole('button', { name: 'Plan a vacation', exact: true }).click();
    await page.getByText('On vacation until').waitFor();
    await page.getByText('Not today (1)').waitFor();
    await page.locator('.today').getByText('Nothing is due today.').waitFor();
    expect(await stateOn(ana, ids[0] ?? '', now)).toMatchObject({ state: 'PAUSED' });
    await press(page, 'End it today');
    await expect.poll(() => listed(page)).toEqual(['Swim']);

    await openDialog(page, ACCOUNT);
    const colourOf = (selector: string, property: string) =>
      page
        .locator(selector)
        .last()
        .evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property);
    const red = await colourOf('dialog .danger', 'color');
    await press(page, 'Delete the account');
    await expect.poll(() => colourOf('dialog .danger', 'background-color')).toBe(red);
    await page.keyboard.press('Escape');
    await dialogGone(page);
    await openDialog(page, ACCOUNT);
    await fillPasswords(page, 'one step a week', 'two steps a day');
    await press(page, 'Set the password');
    const current = page.locator('#password\\.currentPassword');
    await expect.poll(() => faultOf(current)).not.toBe('');
    await fillPasswords(page, 'one step a day', 'two steps a day');
    expect(await faultOf(current)).toBe('');
    await press(page, 'Set the password');
    await page.locator('.notice').getByText('The new password is set.').waitFor();
    expect(await page.locator('.notice').getAttribute('class')).toBe('notice good');
  });
});

describe('What the service refuses', needs('Chromium'), () => {
  it('stands at its field, unfolded, in words of that field', async () => {
    const { page } = await withHabits(stage, { Swim: {} });
    await more(page, 'Swim');
    await press(page, 'Edit');
    await page.locator('summary', { hasText: 'Icon' }).click();
    await page.getByLabel('Another emoji').fill('abc');
    await page.locator('summary', { hasText: 'Icon' }).click();
    await press(page, 'Save');
    const field = page.locator('.field', { has: page.locator('#task\\.icon') });
    await field.getByRole('alert').getByText('One emoji or character.').waitFor();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('task.icon');
    expect(await page.locator('.buttons .problem').innerText()).toBe('');
    await page.getByLabel('Another emoji').fill('🏊');
    await press(page, 'Save');
    await dialogGone(page);
  });
});

async function countIn(page: Page): Promise<void> {
  await press(page, 'Choose habits');
  await page.getByText('Each habit counts for one challenge at a time.').waitFor();
  await page.getByRole('dialog').getByLabel('Swim').check();
  await press(page, 'Save');
  await dialogGone(page);
  await tapOn(page, 'Swim').click();
}

describe('A challenge', needs('Chromium'), () => {
  journey('is chosen by its length, joined by habits, ended knowingly, and listed afterwards', async () => {
    const { page } = await withHabits(stage, { Swim: {}, Read: {} });
    const card = page.getByRole('region', { name: 'Challenge' });
    const lengths = () => card.locator('.templates .about').allInnerTexts();
    await card.getByText('Take on a challenge').click();
    await expect
      .poll(lengths)
      .toEqual(
        ['1', '3', '7', '14', '21', '30', '60'].map((days) => `${days} day${days === '1' ? '' : 's'}`),
      );
    await card.locator('.templates summary').nth(2).click();
    await card.getByRole('button', { name: 'Start' }).click();
    await card.getByText('No habit counts for it yet. Choose one, or make one for it.').waitFor();
    const starts = card
      .locator('.buttons')
      .first()
      .evaluate(({ children }) => {
        const places = [...children].map((button) => button.getBoundingClientRect());
        return places
          .filter(({ x, y }) => !places.some((other) => other.y === y && other.x < x))
          .map(({ x }) => x);
      });
    expect(new Set(await starts).size, 'columns on which lines of buttons begin').toBe(1);
    await countIn(page);
    await card.getByText('Done on 1 of 7 days. Today is day 1.').waitFor();
    expect(await card.getByRole('button', { name: 'Complete' }).count()).toBe(0);
    await card.getByRole('button', { name: 'Give up' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Give up' }).click();
    await card.getByText('Take on a challenge').click();
    await card.getByText('Which one next?').waitFor();
    await card.getByText('Past challenges').click();
    await card.getByText(/given up, begun .* · Done on 1 of 7 days/).waitFor();
  });

  it('that is over was begun on a day of its user, and none of UTC', async () => {
    const ana = await Person.on(stage);
    await ana.hasTask('Swim');
    const timeZone = new Date().getUTCHours() < 11 ? 'Pacific/Pago_Pago' : 'Pacific/Kiritimati';
    await ana.asks(`mutation { updateProfile(input: { timeZone: "${timeZone}" }) { user { id } } }`);
    const accept = 'mutation { acceptChallenge(templateId: 1) { challenge { id progress { firstDay } } } }';
    const { id, progress } = (await ana.asks(accept)).acceptChallenge.challenge;
    await ana.asks(`mutation { abandonChallenge(id: ${id}) { challenge { id } } }`);
    const { page } = await ana.opens({ timezoneId: timeZone });
    const card = page.getByRole('region', { name: 'Challenge' });
    await card.getByText('Take on a challenge').click();
    await card.getByText('Past challenges').click();
    const day = Number(progress.firstDay.slice('2026-11-'.length));
    await card.getByText(new RegExp(`given up, begun \\D*${day} `)).waitFor();
  });

  it('is not ended by the second half of the tap that has started it', async () => {
    const { page } = await withHabits(stage, { Swim: {} });
    const card = page.getByRole('region', { name: 'Challenge' });
    const clicked = (name: string, timeStamp: number) =>
      card.getByRole('button', { name }).evaluate((button, timeStamp) => {
        const place = { clientX: 100, clientY: 100, detail: 1 };
        const click = new MouseEvent('click', { bubbles: true, cancelable: true, ...place });
        button.dispatchEvent(Object.defineProperty(click, 'timeStamp', { value: timeStamp }));
      }, timeStamp);
    await card.getByText('Take on a challenge').click();
    await card.locator('.templates summary').first().click();
    await clicked('Start', 1_000);
    await card.getByText('No habit counts for it yet').waitFor();
    await clicked('Give up', 1_300);
    expect(await page.getByRole('dialog').count()).toBe(0);
    await clicked('Give up', 1_700);
    await page.getByRole('dialog').waitFor();
  });

  it('is one line until one runs, and a moment when it is full, which asks for its end', async () => {
    const { page } = await withHabits(stage, { Swim: {} }, { reducedMotion: 'no-preference' });
    const card = page.getByRole('region', { name: 'Challenge' });
    expect((await card.boundingBox())?.height).toBeLessThan(90);
    await card.getByText('Take on a challenge').click();
    await card.locator('.templates summary').first().click();
    await card.getByRole('button', { name: 'Start' }).click();
    await countIn(page);
    const notice = page.locator('.notice.joy', { hasText: 'Just Today: Done. Well done!' });
    await notice.locator('.sparks').waitFor({ state: 'attached' });
    await card.getByText('Done on 1 of 1 day.').waitFor();
    expect(await card.getByRole('button', { name: 'Give up' }).count()).toBe(0);
    await card.getByRole('button', { name: 'Complete' }).waitFor();
    await notice.getByRole('button', { name: 'Complete' }).click();
    await card.getByText('Take on a challenge').waitFor();
    await page.locator('.notice', { hasText: 'Just Today: Done on 1 of 1 day.' }).waitFor();
  });
});
