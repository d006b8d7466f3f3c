/// <reference lib="dom" />
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import {
  dialogGone,
  isKept,
  newBrowser,
  type Opened,
  openDialog,
  Person,
  PHONE,
  row,
  saved,
  stageForTests,
  tapOn,
  waiting,
} from '../support/page.js';
import { needs } from '../support/tools.js';

const stage = stageForTests();

const GLASSES = { target: { amount: 8, unit: 'glasses' } };

const later = (date: string, days: number) =>
  new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);

const today = async (person: Person): Promise<string> => (await person.asks('{ me { today } }')).me.today;

const WEEKDAYS = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'];

/** Every weekday but that of a date. */
const allBut = (date: string) => ({
  schedule: { weekdays: WEEKDAYS.filter((_day, index) => index !== new Date(date).getUTCDay()) },
});

const listed = (page: Page) => page.locator('.today .tap:visible .title').allInnerTexts();

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

const more = (page: Page, title: string) => press(page, `More about ${title}`);

const stateOn = async (person: Person, id: string, date: string) => {
  const query =
    'query ($id: ID!, $on: Date!) { task(id: $id) { calendar(from: $on, to: $on) { state amount notes } } }';
  return (await person.asks(query, { id, on: date })).task.calendar[0];
};

type Habits = Record<string, object>;

async function withHabits(habits: Habits): Promise<Opened & { ana: Person; ids: string[]; now: string }> {
  const ana = await Person.on(stage);
  const ids: string[] = [];
  for (const [title, more] of Object.entries(habits)) ids.push(await ana.hasTask(title, more));
  const opened = await ana.opens({ viewport: PHONE });
  await opened.page.locator('.row').first().waitFor();
  return { ...opened, ana, ids, now: await today(ana) };
}

describe('Today', needs('Chromium'), () => {
  it('begins with the date and a greeting in one line, and the last seven days', async () => {
    const { page, now } = await withHabits({ Swim: {} });
    const [, month, day] = new Date(now).toUTCString().split(' ').slice(0, 3).reverse();
    expect(await page.locator('h1').innerText()).toMatch(
      new RegExp(`^\\w{3}, ${Number(month)} ${day === '' ? '' : '\\w{3}'} +Good \\w+, Ana$`),
    );
    expect(await page.locator('.strip button').count()).toBe(7);
    const middle = (selector: string) =>
      page.locator(`.strip [aria-pressed=true] .number > ${selector}`).evaluate((element) => {
        const { top, bottom } = element.getBoundingClientRect();
        return Math.round((top + bottom) / 2);
      });
    expect(await middle('span')).toBe(await middle('.ring'));
    expect(
      await page
        .locator('.strip .ring')
        .first()
        .evaluate((ring) => getComputedStyle(ring).overflow),
    ).toBe('visible');
  });

  it('shows what is due, then what is done, then what is not for today, folded', async () => {
    const ana = await Person.on(stage);
    const now = await today(ana);
    await ana.hasTask('Rest', allBut(now));
    await ana.hasTask('Swim');
    await ana.hasTask('Read');
    const { page } = await ana.opens({ viewport: PHONE });
    await tapOn(page, 'Swim').click();
    await saved(page, 'Swim').waitFor();
    expect(await listed(page)).toEqual(['Read', 'Swim']);
    expect(await page.locator('.today h3').innerText()).toBe('Done');
    await page.locator('.card-head').getByText('1 of 2 done').waitFor();
    await page.getByText('Not today (1)').click();
    expect(await listed(page)).toEqual(['Read', 'Swim', 'Rest']);
  });

  it('says how each habit is planned, how far its week is, and why it rests', async () => {
    const { page } = await withHabits({
      Gym: { schedule: { weekdays: ['FRIDAY', 'MONDAY'] } },
      Call: { schedule: { times: { times: 3, per: 'WEEK' } } },
      Write: { schedule: { times: { times: 1, per: 'MONTH' } } },
      Mow: { schedule: { every: 3 } },
      Swim: {},
    });
    const saysOf = (title: string) => row(page, title).locator('.about').textContent();
    expect(await saysOf('Gym')).toBe('Mon, Fri');
    expect(await saysOf('Call')).toBe('0 of 3 this week');
    expect(await saysOf('Write')).toBe('once a month');
    expect(await saysOf('Mow')).toBe('every 3 days');
    expect(await saysOf('Swim')).toBe('');
    await tapOn(page, 'Call').click();
    await saved(page, 'Call').getByText('1 of 3 this week').waitFor();
    await more(page, 'Swim');
    await press(page, 'Skip today');
    await expect.poll(() => saysOf('Swim')).toBe('skipped');
  });

  it('does a habit at a tap, shows its run, and takes it back at another', async () => {
    const { page, ana } = await withHabits({ Swim: { icon: '🏊', colour: 'BLUE' }, Read: {} });
    expect(await row(page, 'Swim').innerText()).toContain('🏊');
    expect(await row(page, 'Swim').getAttribute('class')).toContain('colour-blue');
    await tapOn(page, 'Swim').click();
    await saved(page, 'Swim').getByText('1 day in a row').waitFor();
    expect(await tapOn(page, 'Swim').getAttribute('aria-pressed')).toBe('true');
    await tapOn(page, 'Swim').click();
    await saved(page, 'Swim').waitFor({ state: 'detached' });
    expect(await ana.completions()).toBe(0);
    await tapOn(page, 'Swim').click(); // what was undone can be done again
    await saved(page, 'Swim').waitFor();
    expect(await ana.completions()).toBe(1);
  });

  it('adds one of a target at a tap, or the rest if it is less, and fills a ring', async () => {
    const { page, ids, ana, now } = await withHabits({ Drink: { target: { amount: 2.5, unit: 'glasses' } } });
    for (const amount of ['1', '2', '2.5']) {
      await tapOn(page, 'Drink').click();
      await saved(page, 'Drink').getByText(`${amount} of 2.5 glasses`).waitFor();
      const drawn = await page.locator('.row .share').getAttribute('stroke-dasharray');
      expect(drawn).toBe(`${Number(amount) / 2.5} 1`);
    }
    expect(await stateOn(ana, ids[0] ?? '', now)).toMatchObject({ state: 'KEPT', amount: 2.5 });
    await tapOn(page, 'Drink').click(); // takes back the last
    await saved(page, 'Drink').getByText('2 of 2.5 glasses').waitFor();
  });

  it('asks for the amount when it is held, or by the menu, with a note', async () => {
    const { page, ids, ana, now } = await withHabits({ Drink: GLASSES });
    await tapOn(page, 'Drink').hover();
    await page.mouse.down();
    await page.getByLabel('How many glasses?').fill('3');
    await page.mouse.up();
    await page.getByLabel('Note').fill('from the fountain');
    await press(page, 'Add');
    await saved(page, 'Drink').getByText('3 of 8 glasses').waitFor();
    expect(await stateOn(ana, ids[0] ?? '', now)).toMatchObject({ amount: 3, notes: ['from the fountain'] });
    await more(page, 'Drink');
    await press(page, 'Amount and note');
    await page.getByText('3 glasses').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Note', exact: true }).click();
    await page.getByRole('textbox', { name: 'Note' }).fill('from the well');
    await press(page, 'Save');
    await expect.poll(() => stateOn(ana, ids[0] ?? '', now)).toMatchObject({ notes: ['from the well'] });
    await dialogGone(page);
    expect(await ana.completions()).toBe(1);
  });

  it('does and takes back what belongs to a day of the strip', async () => {
    const { page, ids, ana, now } = await withHabits({ Swim: {}, Drink: GLASSES });
    const day = later(now, -3);
    await page.locator(`[data-day="${day}"]`).click();
    await page.getByText('Not on this day (2)').click(); // they were not made yet
    await tapOn(page, 'Swim').click();
    await saved(page, 'Swim').waitFor();
    await tapOn(page, 'Drink').click();
    await saved(page, 'Drink').getByText('1 of 8 glasses').waitFor();
    expect(await stateOn(ana, ids[0] ?? '', day)).toMatchObject({ state: 'KEPT' });
    expect(await stateOn(ana, ids[1] ?? '', day)).toMatchObject({ state: 'PARTIAL', amount: 1 });
    expect(await stateOn(ana, ids[0] ?? '', now)).toMatchObject({ state: 'DUE' });
    await page.locator(`[data-day="${day}"]`).getByText('1 of 2 done').waitFor({ state: 'attached' });
    await tapOn(page, 'Swim').click();
    await saved(page, 'Swim').waitFor({ state: 'detached' });
    expect(await stateOn(ana, ids[0] ?? '', day)).toMatchObject({ amount: 0 });
    await page.locator(`[data-day="${now}"]`).click();
    await page.getByRole('heading', { name: 'Today' }).waitFor();
    expect(await listed(page)).toEqual(['Swim', 'Drink']);
  });

  it('lets “saved” fade, and has a small joy when all is done', async () => {
    const { page } = await withHabits({ Swim: {} });
    await tapOn(page, 'Swim').click();
    await row(page, 'Swim').getByText('saved').waitFor();
    const animation = (selector: string) =>
      page.locator(selector).evaluate((element) => getComputedStyle(element).animationName);
    expect([await animation('.words.saved'), await animation('.joy')]).toEqual(['fade', 'rise']);
    await page.getByText('Well done!').waitFor();
  });

  it('keeps taps with amounts and notes, and those of other days, while there is no network', async () => {
    const { page, context, ids, ana, now } = await withHabits({ Drink: GLASSES, Swim: {} });
    const day = later(now, -2);
    await isKept(page);
    await openDialog(page, { way: ['More about Drink'], shows: 'Skip today' }); // its parts are kept as well
    await page.keyboard.press('Escape');
    await dialogGone(page);
    await context.setOffline(true);
    await more(page, 'Drink');
    await press(page, 'Amount and note');
    await page.getByLabel('How many glasses?').fill('2.5');
    await page.getByLabel('Note').fill('cold');
    await press(page, 'Add');
    await row(page, 'Drink').getByText('2.5 of 8 glasses').waitFor();
    await page.locator(`[data-day="${day}"]`).click();
    await page.getByText('Not on this day (2)').click();
    await tapOn(page, 'Swim').click();
    await row(page, 'Swim').getByText('waiting for the network').waitFor();
    await expect.poll(() => waiting(page)).toBe(2);
    await page.reload();
    await row(page, 'Drink').getByText('2.5 of 8 glasses').waitFor();
    await context.setOffline(false);
    await expect.poll(() => waiting(page)).toBe(0);
    expect(await stateOn(ana, ids[0] ?? '', now)).toMatchObject({ amount: 2.5, notes: ['cold'] });
    expect(await stateOn(ana, ids[1] ?? '', day)).toMatchObject({ state: 'KEPT' });
  });
});

describe('The menu of a habit', needs('Chromium'), () => {
  it('skips a day and takes that back, pauses, and archives', async () => {
    const { page, ids, ana, now } = await withHabits({ Swim: {}, Read: {} });
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
    await press(page, 'Do not skip today');
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

  it('skips a day that has begun, and says so, since what was done stays', async () => {
    const { page, ids, ana, now } = await withHabits({ Drink: GLASSES });
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
    await more(page, 'Drink');
    await press(page, 'Do not skip today');
    await dialogGone(page);
    expect(await neutral()).toBe(0);
  });

  it('says that it needs a network, where there is none', async () => {
    const { page, context, ana } = await withHabits({ Swim: {} });
    await more(page, 'Swim');
    await context.setOffline(true);
    await press(page, 'Skip today');
    await page.locator('.notice').getByText('Without a network this cannot be changed.').waitFor();
    await dialogGone(page);
    await context.setOffline(false);
    await tapOn(page, 'Swim').click();
    await saved(page, 'Swim').waitFor();
    expect(await ana.completions()).toBe(1);
  });

  it('deletes a habit, in red, after it has said what goes with it', async () => {
    const { page, ids, ana } = await withHabits({ Swim: {}, Read: {} });
    await tapOn(page, 'Swim').click();
    await saved(page, 'Swim').waitFor();
    await more(page, 'Swim');
    await press(page, 'Delete');
    const sure = page.getByRole('dialog', { name: 'Delete “Swim”?' });
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
    expect(await ana.completions()).toBe(0);
  });
});

describe('The form of a habit', needs('Chromium'), () => {
  const plan = async (ana: Person) => {
    const fields =
      'title points icon colour tags schedule { weekdays every times per } target { amount unit }';
    return (await ana.asks(`{ tasks { nodes { ${fields} } } }`)).tasks.nodes.at(-1);
  };

  it('makes one with schedule, target, colour, icon and tags, and changes it', async () => {
    const ana = await Person.on(stage);
    const { page } = await ana.opens();
    await press(page, 'New habit');
    expect(await page.getByLabel('Icon').getAttribute('placeholder')).toBeNull(); // it would look chosen
    await page.getByLabel('What do you want to do?').fill('Swim');
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
    await page.getByLabel('blue').check();
    await page.getByLabel('Icon').fill('🏊');
    await page.getByLabel('Tags').fill('sport, morning');
    await press(page, 'Save');
    await dialogGone(page);
    expect(await plan(ana)).toEqual({
      title: 'Swim',
      points: 10,
      icon: '🏊',
      colour: 'BLUE',
      tags: ['sport', 'morning'],
      schedule: { weekdays: ['MONDAY', 'WEDNESDAY', 'FRIDAY'], every: null, times: null, per: null },
      target: { amount: 1.5, unit: 'km' },
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
    });
    expect(every.schedule).toMatchObject({ every: 3, weekdays: null });
    const monthly = await edit(async () => {
      await page.getByLabel('When').selectOption('Some times a month');
      await page.getByLabel('How many days a month?').fill('12');
      await page.getByLabel('With a target').uncheck();
      await page.getByLabel('none').check();
    });
    expect(monthly).toMatchObject({ schedule: { times: 12, per: 'MONTH' }, target: null, colour: null });
  });

  it('takes no points of 0, and leaves room above its buttons', async () => {
    const ana = await Person.on(stage);
    const { page } = await ana.opens();
    await press(page, 'New habit');
    await page.getByLabel('What do you want to do?').fill('Swim');
    await page.getByLabel('Points').fill('0');
    await press(page, 'Save');
    expect(
      await page.getByLabel('Points').evaluate((field: HTMLInputElement) => field.validity.rangeUnderflow),
    ).toBe(true);
    const gap = await page.evaluate(() => {
      const [above, button] = ['dialog .field:last-of-type', 'dialog [type=submit]'].map((selector) =>
        [...document.querySelectorAll(selector)].at(-1)?.getBoundingClientRect(),
      );
      return (button?.top ?? 0) - (above?.bottom ?? 0);
    });
    expect(gap).toBeGreaterThanOrEqual(16);
  });
});

describe("A habit's own view", needs('Chromium'), () => {
  it('has its month, in which days of the window are done, taken back and skipped', async () => {
    const { page, ids, ana, now } = await withHabits({ Drink: GLASSES });
    const [id = ''] = ids;
    await more(page, 'Drink');
    await press(page, 'Month and charts');
    const dialog = page.getByRole('dialog');
    const day = (date: string) => dialog.locator(`.month [data-date="${date}"]`);
    await day(now).waitFor();
    expect(await day(now).innerText()).toMatch(/still to do$/);
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await expect.poll(() => day(now).innerText()).toMatch(/partly done$/);
    const before = later(now, -1);
    if (before.slice(0, 7) !== now.slice(0, 7)) await press(page, 'Month before');
    await day(before).click();
    await dialog.getByRole('button', { name: 'Skip' }).click();
    await expect.poll(() => day(before).innerText()).toMatch(/skipped$/);
    expect(await stateOn(ana, id, before)).toMatchObject({ state: 'SKIPPED' });
    await dialog.getByRole('button', { name: 'Do not skip' }).click();
    await expect.poll(() => day(before).innerText()).not.toMatch(/skipped$/);
    const far = later(now, -40);
    while ((await day(far).count()) === 0) await press(page, 'Month before');
    await day(far).click();
    await dialog.getByText(/: not due, 0 of 8 glasses$/).waitFor();
    expect(await dialog.getByRole('button', { name: 'Skip' }).count()).toBe(0);
    await day(far).focus();
    await page.keyboard.press('ArrowRight');
    const focused = await page.evaluate(() => (document.activeElement as HTMLElement).dataset.date);
    expect([later(far, 1), undefined]).toContain(focused); // at the end of a month there is none
  });

  it('has numbers, charts with a table each, and notes by day, and is kept for offline', async () => {
    const { page, context, ids, ana, now } = await withHabits({ Drink: GLASSES });
    const query =
      'mutation ($id: ID!, $at: DateTime, $note: String) { completeTask(taskId: $id, at: $at, note: $note) { replayed } }';
    for (const days of [0, 1, 2])
      await ana.asks(query, { id: ids[0], at: `${later(now, -days)}T00:01:00Z`, note: days ? 'cold' : null });
    await isKept(page);
    const look = async () => {
      await more(page, 'Drink');
      await press(page, 'Month and charts');
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Done', { exact: true }).first().waitFor();
      for (const name of ['Kept per week, the last half year', 'Kept by weekday', /How many glasses a day/])
        await dialog.getByRole('table', { name }).waitFor({ state: 'attached' });
      return dialog;
    };
    const dialog = await look();
    for (const [name, value] of [
      ['Run', '3 days'],
      ['Longest run', '3 days'],
      ['Done', '3 times'],
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
    await (await look()).getByText('This was known before.').waitFor();
  });
});

describe('The list', needs('Chromium'), () => {
  it('is searched, and narrowed by tags', async () => {
    const { page } = await withHabits({ Swim: { tags: ['sport'] }, Run: { tags: ['Sport'] }, Read: {} });
    await press(page, 'Search');
    await page.getByLabel('Search habits').fill('rea');
    await expect.poll(() => listed(page)).toEqual(['Read']);
    await page.getByLabel('Search habits').fill('');
    await page.getByRole('group', { name: 'Tags' }).getByRole('button', { name: 'sport' }).click();
    await expect.poll(() => listed(page)).toEqual(['Swim', 'Run']);
    await press(page, 'Search');
    await expect.poll(() => listed(page)).toEqual(['Swim', 'Run', 'Read']);
  });

  it('is put in order by dragging, and by keys', async () => {
    const { page } = await withHabits({ Swim: {}, Read: {}, Walk: {} });
    await press(page, 'Arrange');
    const handle = (title: string) => page.getByRole('button', { name: `Move ${title}` });
    const from = await handle('Walk').boundingBox();
    const to = await handle('Swim').boundingBox();
    if (!from || !to) throw new Error('Nothing can be dragged');
    await page.mouse.move(from.x + 20, from.y + 20);
    await page.mouse.down();
    await page.mouse.move(to.x + 20, to.y + 2, { steps: 5 });
    await page.mouse.up();
    await expect.poll(() => listed(page)).toEqual(['Walk', 'Swim', 'Read']);
    await handle('Walk').focus();
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => listed(page)).toEqual(['Swim', 'Walk', 'Read']);
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => listed(page)).toEqual(['Swim', 'Read', 'Walk']);
  });

  it('rests in a vacation, and weeks begin as they are set', async () => {
    const { page, ids, ana, now } = await withHabits({ Swim: {} });
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
    await page.getByRole('dialog').getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByText('On vacation until').waitFor();
    await page.getByText('Not today (1)').waitFor();
    await page.locator('.today').getByText('Nothing is asked for today.').waitFor();
    expect(await stateOn(ana, ids[0] ?? '', now)).toMatchObject({ state: 'PAUSED' });
    await press(page, 'End it today');
    await expect.poll(() => listed(page)).toEqual(['Swim']);
  });
});

describe('A challenge', needs('Chromium'), () => {
  it('is chosen by its length, joined by habits that exist, ended knowingly, and listed afterwards', async () => {
    const { page } = await withHabits({ Swim: {}, Read: {} });
    const card = page.getByRole('region', { name: 'Challenge' });
    const lengths = () => card.locator('.templates .about').allInnerTexts();
    await expect
      .poll(lengths)
      .toEqual(
        ['1', '3', '7', '14', '21', '30', '60'].map((days) => `${days} day${days === '1' ? '' : 's'}`),
      );
    await card.locator('.templates summary').nth(2).click();
    await card.getByRole('button', { name: 'Start' }).click();
    await card.getByText('No habit counts for it yet').waitFor();
    await card.getByRole('button', { name: 'Choose habits' }).click();
    await page.getByRole('dialog').getByLabel('Swim').check();
    await press(page, 'Save');
    await dialogGone(page);
    await tapOn(page, 'Swim').click();
    await card.getByText('Done on 1 of 7 days. Today is day 1.').waitFor();
    await card.getByRole('button', { name: 'Complete' }).click();
    await page.getByRole('dialog', { name: '1 of 7 days: end it anyway?' }).waitFor();
    await press(page, 'End it');
    await card.getByText('Which one next?').waitFor();
    await card.getByText('Past challenges').click();
    await card.getByText(/completed, begun .*, done on 1 of 7 days/).waitFor();
  });
});

describe('A visitor', needs('Chromium'), () => {
  it('logs in first where accounts are not open to all', async () => {
    const { context, page } = await newBrowser(stage, { serviceWorkers: 'block' });
    await context.route(`${stage.base}/`, async (route) => {
      const html = await (await route.fetch()).text();
      await route.fulfill({
        contentType: 'text/html',
        body: html.replace('data-sign-up="open"', 'data-sign-up="closed"'),
      });
    });
    await page.reload();
    await page.getByRole('heading', { name: 'Welcome back' }).waitFor();
    expect(await page.getByRole('button', { name: 'Sign up' }).count()).toBe(0);
    await page.getByText('Steady', { exact: true }).waitFor();
  });

  it('is warned in red of what destroys, and told in green of what succeeded', async () => {
    const ana = await Person.on(stage);
    const { page } = await ana.opens();
    await openDialog(page, { way: ['Settings', 'Account'], shows: 'Logged in as' });
    const colourOf = (selector: string, property: string) =>
      page
        .locator(selector)
        .last()
        .evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property);
    const red = await colourOf('dialog .danger', 'color');
    await press(page, 'Delete the account');
    expect(await colourOf('dialog .danger', 'background-color')).toBe(red);
    await page.keyboard.press('Escape');
    await dialogGone(page);
    await openDialog(page, { way: ['Settings', 'Account'], shows: 'Logged in as' });
    await page.getByLabel('New password').fill('two steps a day');
    await press(page, 'Change password');
    await page.locator('.notice').getByText('The password is changed.').waitFor();
    expect(await page.locator('.notice').getAttribute('class')).toBe('notice good');
  });
});
