/// <reference lib="dom" />
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { de } from '../../src/page/texts/de.js';
import { es } from '../../src/page/texts/es.js';
import { fr } from '../../src/page/texts/fr.js';
import { de as deLater } from '../../src/page/texts/later-de.js';
import { ptBr } from '../../src/page/texts/pt-br.js';
import { press } from '../support/habits.js';
import {
  dialogGone,
  dialogsIn,
  intercept,
  isKept,
  journey,
  KEPT,
  laterIn,
  newBrowser,
  openDialog,
  Person,
  REMINDING,
  row,
  stageForTests,
} from '../support/page.js';
import { needs } from '../support/tools.js';

const stage = stageForTests(REMINDING);

const GERMAN = { locale: 'de-DE', viewport: { width: 320, height: 640 } };

/** What is wider than its place, so that it is cut or scrolls sideways. */
const tooWide = (page: Page) =>
  page.evaluate(() => {
    const shown = [
      ...document.querySelectorAll<HTMLElement>('body, main *, header *, dialog[open], dialog *'),
    ];
    const visible = shown.filter(
      (each) => each.checkVisibility() && !each.closest('.hidden, .heatmap-frame, .board-frame'),
    );
    const isCut = (each: HTMLElement) => {
      const hides = getComputedStyle(each).overflowX !== 'visible' || each.childElementCount === 0;
      return hides && each.clientWidth > 2 && each.scrollWidth > each.clientWidth + 1;
    };
    const isOut = (each: HTMLElement) => each.getBoundingClientRect().right > innerWidth + 1;
    return visible
      .filter((each) => !/^(input|select|option|svg)$/i.test(each.tagName) && (isCut(each) || isOut(each)))
      .map((each) => `${each.tagName}.${each.className}: ${each.textContent?.slice(0, 60)}`);
  });

describe('The page in another language', needs('Chromium'), () => {
  it.each(['100%', '200%'])(
    'fits on the narrowest phone in German, whatever is open, with text of %s',
    async (size) => {
      const enlarge = (page: Page) =>
        page.evaluate((size) => document.documentElement.style.setProperty('font-size', size), size);
      const ana = await Person.on(stage);
      await ana.hasTask('Donaudampfschifffahrtsgesellschaft besuchen', {
        schedule: { timesPer: { count: 3, period: 'WEEK' } },
      });
      const more = { target: { amount: 20, unit: 'Seiten' }, tags: ['Abend'], section: 'Feierabend' };
      const begun = 'mutation ($id: ID!) { completeTask(taskId: $id, amount: 1) { isReplayed } }';
      await ana.asks(begun, { id: await ana.hasTask('Read', more) });
      const visitor = await newBrowser(stage, GERMAN);
      await visitor.page.getByText(de.signIn.promise).waitFor();
      await enlarge(visitor.page);
      expect(await tooWide(visitor.page)).toEqual([]);
      const sendsMail = {
        json: { data: { signInService: { sendsMail: true, isSignUpOpen: true, providers: [] } } },
      };
      await intercept(visitor.context, 'SignInService', (route) => route.fulfill(sendsMail));
      await visitor.page.reload();
      await enlarge(visitor.page);
      const ways = [de.signIn.logInInstead, de.back.forgotten];
      await openDialog(visitor.page, { way: ways, shows: de.back.askAbout });
      expect(await tooWide(visitor.page)).toEqual([]);
      const { page } = await ana.opens(GERMAN);
      await enlarge(page);
      await row(page, 'Read').waitFor();
      await page.getByRole('heading', { name: de.year.title }).waitFor();
      expect(await tooWide(page)).toEqual([]);
      const dialogs = dialogsIn({ ...de, entry: { ...de.entry, howMany: () => 'Seiten' } });
      for (const dialog of [...dialogs, ...laterIn(de, deLater)]) {
        await openDialog(page, dialog);
        expect([dialog, await tooWide(page)]).toEqual([dialog, []]);
        await page.keyboard.press('Escape');
        await dialogGone(page);
      }
    },
  );

  it('says what the built-in challenges are, and what an operator wrote as it is written', async () => {
    const ana = await Person.on(stage);
    const { challengeTemplates } = await ana.asks('{ challengeTemplates { title description } }');
    const built: string[] = challengeTemplates.flatMap(Object.values);
    expect(built).toHaveLength(14);
    for (const { challenge } of [de, es, fr, ptBr]) {
      const said = built.map(challenge.ofTemplate);
      expect(new Set([...said, ...built]).size).toBe(28);
      expect(['Stretch', 'constructor'].map(challenge.ofTemplate)).toEqual(['Stretch', 'constructor']);
    }
    await ana.hasTask('Nager'); // challenges come after the first habit
    const { page } = await ana.opens({ locale: 'fr-FR' });
    await page.getByText(fr.challenge.take).click();
    await page.locator('.templates').getByText('Une bonne semaine').click();
    await page.getByText('Faites ce que vous aviez prévu sept jours de suite.').waitFor();
    await press(page, fr.challenge.start);
    await page.getByRole('heading', { name: 'Une bonne semaine' }).waitFor();
  });

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

  it('is kept for offline in a language that is chosen on another device meanwhile', async () => {
    const ana = await Person.on(stage);
    await ana.hasTask('Swim', { schedule: { everyDays: 2 } });
    const { context, page } = await ana.opens({ ...KEPT, locale: 'de-DE' });
    await isKept(page);
    await row(page, 'Swim').getByText(de.plan.every(2)).waitFor();
    await ana.asks('mutation { updateProfile(input: { language: PT_BR }) { user { id } } }');
    await page.getByRole('heading', { name: 'Hoje' }).waitFor();
    await row(page, 'Swim').getByText(ptBr.plan.every(2)).waitFor();
    const worker = () => page.evaluate(() => navigator.serviceWorker.controller?.scriptURL);
    await expect.poll(worker).toMatch(/\?PT_BR$/);
    await context.setOffline(true);
    await page.reload();
    await page.getByRole('heading', { name: 'Hoje' }).waitFor();
  });

  it('is spoken in one that the device has, where another one cannot be loaded', async () => {
    const ana = await Person.on(stage);
    const { context, page } = await ana.opens({ ...KEPT, locale: 'de-DE' });
    await isKept(page);
    await page.addInitScript(() => {
      localStorage.removeItem('steady/page:language');
      Object.defineProperty(navigator, 'languages', { get: () => ['fr-FR'] });
    });
    await context.setOffline(true);
    await page.reload();
    await page.getByRole('heading', { name: 'Heute' }).waitFor();
    await context.setOffline(false);
    await page.reload();
    await page.getByRole('heading', { name: 'Aujourd’hui' }).waitFor();
  });
});
