import { describe, expect, it } from 'vitest';
import { de } from '../../src/page/texts/de.js';
import { en } from '../../src/page/texts/en.js';
import { es } from '../../src/page/texts/es.js';
import { fr } from '../../src/page/texts/fr.js';
import { ptBr } from '../../src/page/texts/pt-br.js';
import { press } from '../support/habits.js';
import { ACCOUNT, journey, openDialog, Person, PHONE, stageForTests } from '../support/page.js';
import { needs } from '../support/tools.js';

const stage = stageForTests();

it('What is wrong with a file beyond the first few things is counted, in each language', () => {
  const said = (count: number) => [en, de, es, fr, ptBr].map(({ account }) => account.moreFaults(count));
  expect(said(1)).toEqual([
    'and 1 more found',
    'und 1 weitere gefunden',
    'y se ha encontrado 1 más',
    'et 1 autre a été trouvée',
    'e foi encontrado mais 1',
  ]);
  for (const words of said(95)) expect(words).toContain('95');
});

describe('An import on the page', needs('Chromium'), () => {
  /** What the page says of a file with so many colours that there are none of. */
  async function refusalOf(count: number) {
    const ana = await Person.on(stage);
    const ben = await Person.on(stage);
    await ben.hasTask('Swim');
    const headers = { authorization: `Bearer ${await ben.newToken()}` };
    const exported = await (await fetch(`${stage.base}/account/export`, { headers })).json();
    const [swim] = exported.tasks;
    const tasks = Array.from({ length: count }, (_, index) => ({ ...swim, id: index + 1, colour: 'PLAID' }));
    const { page } = await ana.opens({ viewport: PHONE });
    await openDialog(page, ACCOUNT);
    await page.getByText('Import an export').click();
    await page.getByLabel('A file with everything').setInputFiles({
      name: 'steady.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify({ ...exported, tasks })),
    });
    await press(page, 'Import');
    const alert = page.getByRole('alert').filter({ hasText: 'colour' });
    await alert.waitFor();
    return { page, alert };
  }

  journey('says the first five faults of a file, each with its place, and how many more', async () => {
    const { page, alert } = await refusalOf(8);
    const lines = (await alert.innerText()).split('\n');
    expect(lines).toHaveLength(6);
    for (const index of [0, 4]) {
      expect(lines[index]).toContain(`Task ${index + 1}: Colour must be one of`);
      expect(lines[index]).toContain(`(tasks[${index}].colour)`);
    }
    expect(lines.at(-1)).toBe('and 3 more found.');
    const wide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
    expect(wide).toBe(false);
  });
});
