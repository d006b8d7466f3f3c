/// <reference lib="dom" />
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import {
  DIALOGS,
  dialogGone,
  LATER,
  newBrowser,
  openDialog,
  Person,
  row,
  type Stage,
  tapOn,
} from './page.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Finding {
  id: string;
  nodes: { html: string; failureSummary: string }[];
}

/** What axe finds in a part of the page, with every rule of WCAG and of good practice. */
async function findings(page: Page, part = 'html'): Promise<string[]> {
  // The page lets no code in, save by the tools of the browser.
  const found = (await page.evaluate(`${axe}; axe.run('${part}')`)) as { violations: Finding[] };
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  );
}

/** Opens what is folded in the dialog. */
export const unfold = (page: Page) =>
  page.evaluate(() => {
    for (const details of document.querySelectorAll<HTMLDetailsElement>('dialog details'))
      details.open = true;
  });

/** What axe finds on the page of a visitor, of a person, in each dialog, and without a network. */
export async function findingsEverywhere(stage: Stage, colorScheme: 'light' | 'dark'): Promise<string[]> {
  const ana = await Person.on(stage);
  const id = await ana.hasTask('Swim 1 km');
  await ana.hasTask('Read', { target: { amount: 20, unit: 'pages' }, colour: 'AMBER', tags: ['evening'] });
  await ana.asks('mutation ($id: ID!) { completeTask(taskId: $id) { isReplayed } }', { id });
  const { page } = await newBrowser(stage, { colorScheme });
  const found = await findings(page);
  await ana.logsIn(page);
  await row(page, 'Read').waitFor();
  await page.locator('summary').first().click();
  found.push(...(await findings(page)));
  for (const dialog of [...DIALOGS, ...LATER]) {
    await openDialog(page, dialog);
    await unfold(page);
    found.push(...(await findings(page, 'dialog')));
    await page.keyboard.press('Escape');
    await dialogGone(page);
  }
  await page.getByRole('button', { name: 'Search' }).click();
  await tapOn(page, 'Read').click();
  await page.locator('.toast').waitFor();
  await page.context().setOffline(true);
  await page.locator('.notice').waitFor();
  return [...found, ...(await findings(page, '.notice, .toast, .strip, .today'))];
}
