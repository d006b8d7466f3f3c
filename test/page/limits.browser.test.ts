import { describe, expect } from 'vitest';
import { more, press, stateOn, undoInMenu, withHabits } from '../support/habits.js';
import { dialogGone, journey, row, saved, stageForTests, tapOn } from '../support/page.js';
import { needs } from '../support/tools.js';

const stage = stageForTests();

describe('A limit', needs('Chromium'), () => {
  journey(
    'is made in the form, filled by taps up to red, and asks for nothing; of none it asks before a slip',
    async () => {
      const { page, ana, now } = await withHabits(stage, { Swim: {} });
      await press(page, 'New habit');
      const points = page.getByLabel('Points each time');
      await points.waitFor({ state: 'attached' });
      await page.getByRole('radio', { name: 'Limit or quit', exact: true }).check();
      await points.waitFor({ state: 'detached' });
      await page.getByLabel('What do you want to limit or quit?').fill('Coffee');
      await page.getByLabel('At most').fill('1');
      await page.getByLabel('Of what').fill('cups');
      await press(page, 'Save');
      await dialogGone(page);
      await page.getByRole('heading', { name: 'Limits' }).waitFor();
      await row(page, 'Coffee').getByText('0 of 1 cups').waitFor();
      await page.locator('.card-head').getByText('0 of 1 done').waitFor();
      await tapOn(page, 'Coffee').click();
      await saved(page, 'Coffee').getByText('1 of 1 cups').waitFor();
      await more(page, 'Coffee');
      await press(page, 'Amount and note');
      await page.getByLabel('How many cups?').fill('1');
      await press(page, 'Add');
      await saved(page, 'Coffee').getByText('1 over', { exact: true }).waitFor();
      expect(await row(page, 'Coffee').locator('.ring').getAttribute('class')).toContain('over');
      const { tasks } = await ana.asks('{ tasks { nodes { id title } } }');
      const { id } = tasks.nodes.find(({ title }: { title: string }) => title === 'Coffee');
      expect(await stateOn(ana, id, now)).toMatchObject({ state: 'EXCEEDED', amount: 2 });

      const target = { amount: 0, unit: 'cigarettes', kind: 'AT_MOST' };
      const smoke = await ana.hasTask('Smoke', { target });
      await row(page, 'Smoke').getByText('within the limit').waitFor();
      await tapOn(page, 'Smoke').click();
      await page.getByRole('dialog', { name: '“Smoke”: did you slip?' }).waitFor();
      expect(await stateOn(ana, smoke, now)).toMatchObject({ state: 'WITHIN', amount: 0 });
      await press(page, 'I slipped');
      await saved(page, 'Smoke').getByText('exceeded', { exact: true }).waitFor();
      await dialogGone(page);
      await more(page, 'Smoke');
      await undoInMenu(page);
      await row(page, 'Smoke').getByText('exceeded').waitFor({ state: 'detached' });
      await expect.poll(() => stateOn(ana, smoke, now)).toMatchObject({ state: 'WITHIN', amount: 0 });
    },
  );
});
