/// <reference lib="dom" />
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { de } from '../../src/page/texts/de.js';
import { de as deLater } from '../../src/page/texts/later-de.js';
import {
  dialogGone,
  dialogsIn,
  intercept,
  laterIn,
  newBrowser,
  openDialog,
  Person,
  REMINDING,
  row,
  stageForTests,
  tapOn,
} from '../support/page.js';
import { needs } from '../support/tools.js';

const stage = stageForTests(REMINDING);

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds in a part of the page, with every rule of WCAG and of good practice, and in the dark. */
async function findings(page: Page, part: string): Promise<string[]> {
  // The page lets no code in, save by the tools of the browser.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe);
  const found: string[] = [];
  for (const [colorScheme, options] of [
    ['dark', "{ runOnly: 'color-contrast' }"],
    ['light', '{}'],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    const told = `({ id, nodes }) => nodes.map(({ html, failureSummary }) => [id, html, failureSummary].join(' '))`;
    found.push(
      ...(await page.evaluate<string[]>(
        `axe.run('${part}', ${options}).then(({ violations }) => violations.flatMap(${told}))`,
      )),
    );
  }
  return found;
}

/** What is wider than its place, so that it is cut or scrolls sideways, and what is too small for a finger. */
const misfits = (page: Page, size: string) =>
  page.evaluate((size) => {
    document.documentElement.style.setProperty('font-size', size);
    const shown = document.querySelectorAll<HTMLElement>('body, main *, header *, dialog[open], dialog *');
    const visible = [...shown].filter(
      (each) => each.checkVisibility() && !each.closest('.hidden, .heatmap-frame, .board-frame'),
    );
    const isCut = (each: HTMLElement) => {
      const hides = getComputedStyle(each).overflowX !== 'visible' || each.childElementCount === 0;
      return hides && each.clientWidth > 2 && each.scrollWidth > each.clientWidth + 1;
    };
    const isOut = (each: HTMLElement) => each.getBoundingClientRect().right > innerWidth + 1;
    const isField = ({ tagName }: Element) => /^(input|select|option|svg)$/i.test(tagName);
    const isSmall = (each: HTMLElement) => {
      const { width, height } = (each.closest('label') ?? each).getBoundingClientRect();
      const isPressed = each.matches('button, input, select, summary, textarea, a');
      return isPressed && width > 0 && Math.min(width, height) < 44;
    };
    document.documentElement.style.removeProperty('font-size');
    return visible
      .filter((each) => (!isField(each) && (isCut(each) || isOut(each))) || isSmall(each))
      .map((each) => `${size} ${each.outerHTML.slice(0, 100)}`);
  }, size);

async function faultsIn(page: Page, part: string): Promise<string[]> {
  const found = [...(await misfits(page, '100%')), ...(await misfits(page, '200%'))];
  await page.evaluate(() => {
    for (const details of document.querySelectorAll<HTMLDetailsElement>('dialog details'))
      details.open = true;
  });
  return [...found, ...(await findings(page, part))];
}

/** 1280 px at 400 %. */
const NARROW = { locale: 'de-DE', viewport: { width: 320, height: 640 } };

const dialogs = dialogsIn({ ...de, entry: { ...de.entry, howMany: () => 'Seiten' } });

/** In the list, with the longest words. */
async function inTheList() {
  const ana = await Person.on(stage);
  const done = 'mutation ($id: ID!) { completeTask(taskId: $id, amount: 1) { isReplayed } }';
  const week = { schedule: { timesPer: { count: 3, period: 'WEEK' } } };
  await ana.asks(done, { id: await ana.hasTask('Donaudampfschifffahrtsgesellschaft besuchen', week) });
  const more = { target: { amount: 20, unit: 'Seiten' }, tags: ['Abend'], section: 'Feierabend' };
  await ana.asks(done, { id: await ana.hasTask('Read', { ...more, colour: 'AMBER' }) });
  await ana.hasTask('Den Schreibtisch und die Regale aufräumen '.repeat(3), { icon: '🗂️' });
  const opened = await ana.opens(NARROW);
  await row(opened.page, 'Read').waitFor();
  return opened;
}

describe('Axe finds nothing, and all fits on the narrowest phone', needs('Chromium'), () => {
  it('before there is an account', async () => {
    const { page, context } = await newBrowser(stage, NARROW);
    await page.getByText(de.signIn.promise).waitFor();
    expect(await faultsIn(page, 'html')).toEqual([]);
    const signInService = { sendsMail: true, isSignUpOpen: true, providers: [] };
    await intercept(context, 'SignInService', (route) =>
      route.fulfill({ json: { data: { signInService } } }),
    );
    await page.reload();
    const ways = [de.signIn.logInInstead, de.back.forgotten];
    await openDialog(page, { way: ways, shows: de.back.askAbout });
    expect(await faultsIn(page, 'dialog')).toEqual([]);
  });

  it('in the list, with a network and without', async () => {
    const { page, context } = await inTheList();
    await page.getByRole('heading', { name: de.year.title }).waitFor();
    expect(await faultsIn(page, 'html')).toEqual([]);
    await context.setOffline(true);
    await tapOn(page, 'Read').click();
    await row(page, 'Read').getByText(de.row.waiting).waitFor();
    await expect.poll(() => page.locator('[style*="held"]').count()).toBe(0); // until then each has one line
    expect(await faultsIn(page, '.floating, .strip, .today')).toEqual([]);
  });

  it.each([...[dialogs.slice(0, 7), dialogs.slice(7)].map((some) => [some]), [laterIn(de, deLater)]])(
    'in each dialog: part %#',
    async (some) => {
      const { page } = await inTheList();
      for (const dialog of some) {
        await openDialog(page, dialog);
        expect([dialog, await faultsIn(page, 'dialog')]).toEqual([dialog, []]);
        await page.keyboard.press('Escape');
        await dialogGone(page);
      }
    },
  );
});
