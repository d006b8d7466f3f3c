import { describe, expect, it } from 'vitest';
import { more, press, stateOn, undoInMenu, withHabits } from '../support/habits.js';
import { dialogGone, journey, row, saved, stageForTests, tapOn } from '../support/page.js';
import { needs } from '../support/tools.js';

const stage = stageForTests();

describe('The form of a limit', needs('Chromium'), () => {
  it('leaves no period behind when it becomes a habit to do', async () => {
    const { page } = await withHabits(stage, { Swim: {} });
    await press(page, 'New habit');
    await page.getByRole('radio', { name: 'Limit or quit', exact: true }).check();
    await page.getByLabel('What do you want to limit or quit?').fill('Read');
    await page.getByRole('radio', { name: 'a week', exact: true }).check();
    await page.getByRole('radio', { name: 'Do it', exact: true }).check();
    await page.getByLabel('When').selectOption('Every few days');
    await press(page, 'Save');
    await dialogGone(page);
    await row(page, 'Read').getByText('every 2 days').waitFor();
  });
});

describe('A limit', needs('Chromium'), () => {
  const COFFEE = { target: { amount: 2, unit: 'cups of coffee', kind: 'AT_MOST' } };

  it('is offered to no challenge, and promises no points', async () => {
    const { page, ana } = await withHabits(stage, { Swim: {}, Coffee: COFFEE });
    const { challengeTemplates } = await ana.asks('{ challengeTemplates { id } }');
    const accept = 'mutation ($id: ID!) { acceptChallenge(templateId: $id) { challenge { id } } }';
    await ana.asks(accept, { id: challengeTemplates[0].id });
    await press(page, 'Choose habits');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Swim').check();
    expect(await dialog.getByRole('checkbox').count()).toBe(1);
    await press(page, 'Save');
    await dialogGone(page);
    await page.getByText('Done on 0 of').first().waitFor();
    await press(page, 'New habit');
    await page.getByLabel('Points each time').waitFor({ state: 'attached' });
    await page.getByRole('radio', { name: 'Limit or quit', exact: true }).check();
    await page.getByLabel('Points each time').waitFor({ state: 'detached' });
    expect(await dialog.getByLabel(/^Counts for/).count()).toBe(0);
    await dialog.getByText('0: none at all').waitFor();
  });

  it('says within its row that a tap waits, while the list holds still', async () => {
    const { page, context } = await withHabits(
      stage,
      { Coffee: COFFEE, Swim: {} },
      { viewport: { width: 320, height: 700 } },
    );
    await context.setOffline(true);
    await tapOn(page, 'Coffee').click();
    const room = await page.evaluate(async () => {
      const row = () =>
        [...document.querySelectorAll('.row')].find((each) => /Coffee/.test(each.textContent));
      while (!row()?.querySelector('.waiting')) await new Promise(requestAnimationFrame);
      const text = row()?.querySelector('.text')?.getBoundingClientRect();
      return Number(row()?.getBoundingClientRect().bottom) - Number(text?.bottom);
    });
    expect(room).toBeGreaterThanOrEqual(0);
  });

  journey('is made in the form, filled by taps up to red, and asks for nothing', async () => {
    const { page, ana, now } = await withHabits(stage, { Swim: {} });
    await press(page, 'New habit');
    await page.getByRole('radio', { name: 'Limit or quit', exact: true }).check();
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
    expect(await row(page, 'Coffee').getByText('over', { exact: false }).count()).toBe(0);
    await more(page, 'Coffee');
    await press(page, 'Amount and note');
    await page.getByLabel('How many cups?').fill('1');
    await press(page, 'Add');
    await saved(page, 'Coffee').getByText('1 over', { exact: true }).waitFor();
    expect(await row(page, 'Coffee').locator('.ring').getAttribute('class')).toContain('over');
    const { tasks } = await ana.asks('{ tasks { nodes { id title } } me { points } }');
    const { id } = tasks.nodes.find(({ title }: { title: string }) => title === 'Coffee');
    expect(await stateOn(ana, id, now)).toMatchObject({ state: 'EXCEEDED', amount: 2 });
    await tapOn(page, 'Swim').click();
    await saved(page, 'Swim').waitFor();
    expect(await page.getByText('Well done!').count()).toBe(0); // on a day on which a limit was exceeded
  });

  journey('of none says for how long, and asks once more before a slip', async () => {
    const target = { amount: 0, unit: 'cigarettes', kind: 'AT_MOST' };
    const { page, ids, ana, now } = await withHabits(stage, { Smoke: { target }, Read: {} });
    const [id = ''] = ids;
    await row(page, 'Smoke').getByText('within the limit').waitFor();
    await tapOn(page, 'Smoke').click();
    const dialog = page.getByRole('dialog', { name: '“Smoke”: did you slip?' });
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialogGone(page);
    expect(await stateOn(ana, id, now)).toMatchObject({ state: 'WITHIN', amount: 0 });
    await tapOn(page, 'Smoke').click();
    await press(page, 'I slipped');
    await saved(page, 'Smoke').getByText('exceeded', { exact: true }).waitFor();
    expect(await stateOn(ana, id, now)).toMatchObject({ state: 'EXCEEDED', amount: 1 });
    await dialogGone(page);
    await tapOn(page, 'Smoke').click(); // once more it asks: what was a slip is taken back by Undo
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialogGone(page);
    await more(page, 'Smoke');
    await undoInMenu(page);
    await row(page, 'Smoke').getByText('exceeded').waitFor({ state: 'detached' });
    await expect.poll(() => stateOn(ana, id, now)).toMatchObject({ state: 'WITHIN', amount: 0 });
  });
});
