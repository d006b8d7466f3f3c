import { describe, expect, it } from 'vitest';
import { later, more, press, withHabits } from '../support/habits.js';
import { dialogGone, isKept, KEPT, keptOf, stageForTests } from '../support/page.js';
import { needs } from '../support/tools.js';

const stage = stageForTests();

describe('A habit that is archived', needs('Chromium'), () => {
  it('still counts on the days before, in the strip and in the year, without a network too', async () => {
    const { page, context, ana, ids, now } = await withHabits(stage, { Swim: {}, Read: {} }, KEPT);
    const before = later(now, -1);
    for (const id of ids)
      await ana.asks(`mutation { completeTask(taskId: ${id}, at: "${before}T12:00:00Z") { isReplayed } }`);
    const strip = page.locator(`[data-day="${before}"]`);
    const year = page.locator(`.heatmap [data-date="${before}"]`);
    const bothSay = async () => {
      await strip.getByText('2 of 2 done').waitFor({ state: 'attached' });
      await year.getByText('2 of 2 kept').waitFor({ state: 'attached' });
    };
    await bothSay();
    await more(page, 'Read');
    await press(page, 'Archive');
    await dialogGone(page);
    await page.getByText('Archived (1)').waitFor();
    await bothSay();
    await expect.poll(() => keptOf(page)).toContain(`${before}",{"asked":1,"done":1}`);
    await isKept(page);
    await context.setOffline(true);
    await page.reload();
    await page.locator('.offline').waitFor();
    await bothSay();
    await context.setOffline(false);
    await page.locator('.offline').waitFor({ state: 'detached' });
    await page.getByText('Archived (1)').click();
    await press(page, 'Restore Read');
    await page.locator('.archived').waitFor({ state: 'detached' });
    await bothSay();
  });
});
