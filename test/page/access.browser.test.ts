/// <reference lib="dom" />
import { describe, expect } from 'vitest';
import {
  dialogGone,
  journey,
  newBrowser,
  Person,
  row,
  saved,
  stageForTests,
  tapOn,
} from '../support/page.js';
import { needs } from '../support/tools.js';

const stage = stageForTests();

describe('For everybody, the page', needs('Chromium'), () => {
  journey('is whole by keyboard, and no key does anything else while typing', async () => {
    const person = await Person.on(stage);
    for (const title of ['Jog', 'Read']) await person.hasTask(title);
    const { page } = await person.opens();
    await row(page, 'Read').waitFor();
    const { keyboard } = page;
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');
    await keyboard.press('j');
    await keyboard.press('j');
    expect(await focused()).toContain('Read');
    await keyboard.press('k');
    expect(await focused()).toContain('Jog');
    await keyboard.press('ArrowDown');
    await keyboard.press('Space');
    await saved(page, 'Read').waitFor();
    expect(await focused()).toContain('Read'); // in another list
    expect(await page.evaluate(() => document.getAnimations().length)).toBe(0); // for those who want no motion
    await keyboard.press('u');
    await saved(page, 'Read').waitFor({ state: 'detached' });
    await expect.poll(() => person.completions()).toBe(0);
    await keyboard.press('o');
    await page.getByRole('dialog').getByText('Kept by weekday').first().waitFor();
    await keyboard.press('Escape');
    await dialogGone(page);
    await keyboard.press('?');
    await page.getByRole('dialog', { name: 'Shortcuts' }).getByText('new habit').waitFor();
    await keyboard.press('Escape');
    await dialogGone(page);
    expect(await focused()).toContain('Read');
    await keyboard.press('/');
    await keyboard.type('jo'); // which would move the focus, and open a habit
    await row(page, 'Read').waitFor({ state: 'detached' });
    await keyboard.press('Escape');
    await row(page, 'Read').waitFor();
    await tapOn(page, 'Read').focus();
    await keyboard.press('n');
    await page.getByLabel('What do you want to do?').focus();
    await keyboard.type('swim, nudge? u');
    await keyboard.press('Enter');
    await row(page, 'swim, nudge? u').waitFor();
    expect(await person.completions()).toBe(0);
    await row(page, 'Jog').getByRole('button', { name: 'More' }).press('Enter');
    await page.getByRole('button', { name: 'Archive' }).press('Enter');
    await dialogGone(page);
    await expect.poll(focused).toMatch(/Read|swim/); // near the button that has gone
  });

  journey('says what changes, and what is refused, in a place that is there from the start', async () => {
    const person = await Person.on(stage);
    const id = await person.hasTask('Swim', { target: { amount: 9, unit: 'lengths' } });
    const { context, page } = await newBrowser(stage);
    await page.evaluate(() => {
      const said = document.querySelector('#said');
      const heard: string[] = [];
      if (said?.getAttribute('role') !== 'status') return;
      new MutationObserver(() => heard.push(said.textContent ?? '')).observe(said, { childList: true });
      Object.assign(window, { heard });
    });
    const heard = () => page.evaluate(() => (window as unknown as { heard: string[] }).heard.join(' '));
    await person.logsIn(page);
    expect(await heard()).not.toContain('Swim');
    await tapOn(page, 'Swim').click();
    await expect.poll(heard).toMatch(/Swim: 1 of 9 lengths, saving\. .*Swim: 1 of 9 lengths, saved\./);
    await context.setOffline(true);
    await expect.poll(heard).toContain('No connection.');
    await tapOn(page, 'Swim').click();
    await expect.poll(heard).toContain('Swim: 2 of 9 lengths, waiting for the network · saved.');
    await person.asks('mutation ($id: ID!) { archiveTask(id: $id) { task { id } } }', { id });
    await context.setOffline(false);
    await expect.poll(heard).toMatch(/Connected\..*Swim: refused\. The habit is archived/);
    expect(await page.locator('#said').count()).toBe(1);
  });
});
