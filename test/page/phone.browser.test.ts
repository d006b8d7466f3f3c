/// <reference lib="dom" />
import { describe, expect, it } from 'vitest';
import { fr } from '../../src/page/texts/fr.js';
import { GLASSES, press, withHabits } from '../support/habits.js';
import { dialogGone, isKept, KEPT, PHONE, row, stageForTests, tapOn } from '../support/page.js';
import { needs } from '../support/tools.js';

const stage = stageForTests();

const french = { viewport: PHONE, locale: 'fr-FR', ...KEPT };

describe('On a phone, in French', needs('Chromium'), () => {
  it('the head of the list is one line, of which the second number is only read aloud', async () => {
    const { page } = await withHabits(stage, { Lire: {}, Nager: {} }, french);
    const count = page.locator('.today .count');
    await count.getByText(fr.list.left(2)).waitFor();
    expect(await count.textContent()).toContain(fr.list.doneOf(0, 2));
    const heights = await page
      .locator('.card-head')
      .evaluate((head) => [head, head.querySelector('h2')].map((each) => each?.clientHeight ?? 0));
    expect(heights[0]).toBe(heights[1]);
  });

  it('what is told is one pill at a time, and views without a network say that there is none', async () => {
    const { context, page } = await withHabits(stage, { Eau: GLASSES }, french);
    await isKept(page);
    await context.setOffline(true);
    await tapOn(page, 'Eau').click();
    const pills = page.locator('.floating > *');
    await pills.getByText(fr.row.waiting).waitFor();
    expect(await pills.count()).toBe(1);
    await page.locator('.notice.offline').waitFor(); // when the other is gone
    expect(await pills.count()).toBe(1);

    await press(page, fr.board.title);
    const dialog = page.getByRole('dialog');
    await dialog.getByText(fr.common.noConnection).waitFor();
    expect(await dialog.getByText(fr.common.loading).count()).toBe(0);
    await press(page, fr.common.close);
    await dialogGone(page);

    await press(page, fr.row.more('Eau'));
    await press(page, fr.menu.month);
    await dialog.getByText(fr.common.noConnection).waitFor();
    expect(await dialog.getByText(fr.notices.old).count()).toBe(0); // nothing is known of it
    await press(page, fr.common.close);
    await dialogGone(page);

    await page.getByText(fr.challenge.take).click();
    await page.locator('.challenge').getByText(fr.common.noConnection).waitFor();
  });

  it('what is skipped is told in a pill that goes with the next tap, and covers no more than a tap does', async () => {
    const { page } = await withHabits(stage, { Lire: {}, Nager: {} }, { ...french, serviceWorkers: 'block' });
    await press(page, fr.row.more('Lire'));
    await press(page, fr.menu.skipToday);
    const pill = page.locator('.floating > *');
    await pill.getByText(fr.menu.isSkipped('Lire', false)).waitFor();
    expect(await pill.getByRole('button').allInnerTexts()).toEqual([fr.common.undo]);
    await tapOn(page, 'Nager').click();
    await pill.getByText(fr.menu.isSkipped('Lire', false)).waitFor({ state: 'detached' });
    await row(page, 'Nager').getByText(fr.row.saved).waitFor({ state: 'attached' });
  });
});
