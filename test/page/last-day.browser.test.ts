import { describe, expect, it } from 'vitest';
import { more, press, withHabits } from '../support/habits.js';
import { dialogGone, journey, Person, PHONE, row, saved, stageForTests, tapOn } from '../support/page.js';
import { needs } from '../support/tools.js';

const stage = stageForTests();

describe('The page', needs('Chromium'), () => {
  it('covers no button of its bar with what it tells, and moves no row', async () => {
    const { page } = await withHabits(stage, { Swim: {}, Read: {} }, { viewport: PHONE });
    const top = async () => (await row(page, 'Read').boundingBox())?.y;
    const before = await top();
    await tapOn(page, 'Swim').click();
    await saved(page, 'Swim').waitFor();
    await more(page, 'Swim');
    await press(page, 'Archive');
    const notice = page.locator('.floating .notice', { hasText: '“Swim” is archived.' });
    await notice.waitFor();
    await dialogGone(page);
    const bar = await page.locator('.dock').boundingBox();
    const box = await notice.boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(bar?.y ?? 0);
    expect(await top()).toBeLessThanOrEqual(before ?? 0); // that of Swim is gone
    await page.getByRole('button', { name: 'New habit' }).click();
    await notice.waitFor({ state: 'detached' });
  });

  it('says at the weekdays that none is chosen, and saves nothing', async () => {
    const { page } = await withHabits(stage, { Swim: {} });
    await press(page, 'New habit');
    await page.getByLabel('What do you want to do?').fill('Gym');
    await page.getByLabel('When').selectOption('On some weekdays');
    const days = page.locator('fieldset.weekdays');
    for (const box of await days.getByRole('checkbox').all()) await box.uncheck({ force: true });
    await days.getByText('Choose at least one day.').waitFor();
    await press(page, 'Save');
    expect(await days.locator('input:focus').count()).toBe(1);
    await days.getByRole('checkbox').first().check({ force: true });
    await press(page, 'Save');
    await dialogGone(page);
    await row(page, 'Gym').waitFor({ state: 'attached' }); // today may be none of its days
  });

  journey('asks once whether the days follow a device that has travelled', async () => {
    const ana = await Person.on(stage);
    await ana.hasTask('Read');
    const { page } = await ana.opens({ timezoneId: 'America/New_York' });
    await page.getByText('You seem to be in New York. Follow it?').waitFor();
    await press(page, 'Stay in Berlin');
    await page.getByText('You seem to be').waitFor({ state: 'detached' });
    await page.reload();
    await row(page, 'Read').waitFor();
    expect(await page.getByText('You seem to be').count()).toBe(0);
    const other = await ana.opens({ timezoneId: 'America/New_York' });
    await press(other.page, 'Follow');
    await other.page.getByText('You seem to be').waitFor({ state: 'detached' });
    expect((await ana.asks('{ me { timeZone } }')).me.timeZone).toBe('America/New_York');
  });
});
