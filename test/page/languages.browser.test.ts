/// <reference lib="dom" />
import { describe, expect } from 'vitest';
import { de } from '../../src/page/texts/de.js';
import { press } from '../support/habits.js';
import { dialogGone, isKept, journey, KEPT, Person, stageForTests } from '../support/page.js';
import { needs } from '../support/tools.js';

const stage = stageForTests();

describe('The page in another language', needs('Chromium'), () => {
  journey(
    'loads only that language, says refusals in it, and is spoken again next time, offline too',
    async () => {
      const ana = await Person.on(stage);
      const { context, page } = await ana.opens({ ...KEPT, locale: 'de-DE' });
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
      const words = de.notices.check(de.fields.title ?? '');
      await page.getByRole('alert').getByText(words).waitFor();
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
      await isKept(page);
      const worker = () => page.evaluate(() => navigator.serviceWorker.controller?.scriptURL);
      await expect.poll(worker).toMatch(/\?PT_BR$/);
      await context.setOffline(true);
      await page.evaluate(() => localStorage.removeItem('steady/page:language'));
      await page.reload();
      await page.getByRole('heading', { name: 'Hoje' }).waitFor();
    },
  );
});
