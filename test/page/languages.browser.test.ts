/// <reference lib="dom" />
import { describe, expect, it } from 'vitest';
import { de } from '../../src/page/texts/de.js';
import { ptBr } from '../../src/page/texts/pt-br.js';
import { press } from '../support/habits.js';
import { dialogGone, isKept, journey, KEPT, Person, row, stageForTests } from '../support/page.js';
import { needs } from '../support/tools.js';

const stage = stageForTests();

describe('The page in another language', needs('Chromium'), () => {
  journey('loads only that language, says refusals in it, and is spoken again next time', async () => {
    const ana = await Person.on(stage);
    const { page } = await ana.opens({ locale: 'de-DE' });
    const loaded = () =>
      page.evaluate(() =>
        performance
          .getEntriesByType('resource')
          .flatMap(({ name }) => /\/(?:en|de|es|fr|pt-br)-/.exec(name) ?? []),
      );
    await page.getByRole('heading', { name: 'Heute' }).waitFor();
    expect(await loaded()).toEqual(['/de-']);
    await press(page, de.list.newHabit);
    await page.getByLabel(de.form.title).fill(' ');
    await press(page, de.common.save);
    await page
      .getByRole('alert')
      .getByText(de.notices.check(de.fields.title ?? ''))
      .waitFor();
    await page.keyboard.press('Escape');
    await dialogGone(page);
    await press(page, de.settings.title);
    await page.getByLabel(de.settings.language).selectOption('Português (Brasil)');
    await press(page, de.common.save);
    await page.getByRole('heading', { name: 'Hoje' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('pt-BR');
    await dialogGone(page);
    await page.reload();
    await page.getByRole('heading', { name: 'Hoje' }).waitFor();
    expect(await loaded()).toEqual(['/pt-br-']);
    const { me } = await ana.asks('{ me { language weekStartsOn } }');
    expect(me).toEqual({ language: 'PT_BR', weekStartsOn: 'SUNDAY' }); // as long as no other day was chosen
  });

  it('is spoken offline in the one that the device has, also in one that is chosen on another device', async () => {
    const ana = await Person.on(stage);
    await ana.hasTask('Swim', { schedule: { everyDays: 2 } });
    const { context, page } = await ana.opens({ ...KEPT, locale: 'de-DE' });
    await isKept(page);
    await row(page, 'Swim').getByText(de.plan.every(2)).waitFor();
    await page.addInitScript(() => {
      localStorage.removeItem('steady/page:language');
      Object.defineProperty(navigator, 'languages', { get: () => ['fr-FR'] });
    });
    await context.setOffline(true);
    await page.reload();
    await page.getByRole('heading', { name: 'Heute' }).waitFor(); // French cannot be loaded
    await context.setOffline(false);
    await ana.asks('mutation { updateProfile(input: { language: PT_BR }) { user { id } } }');
    await row(page, 'Swim').getByText(ptBr.plan.every(2)).waitFor();
    const worker = () => page.evaluate(() => navigator.serviceWorker.controller?.scriptURL);
    await expect.poll(worker).toMatch(/\?PT_BR$/);
    await context.setOffline(true);
    await page.reload();
    await page.getByRole('heading', { name: 'Hoje' }).waitFor();
  });
});
