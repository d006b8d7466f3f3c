/// <reference lib="dom" />
import { readFileSync } from 'node:fs';
import type { BrowserContext } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../support/eventually.js';
import { faultyWayTo } from '../support/faulty-way.js';
import { Person, stageForTests } from '../support/page.js';
import { needs } from '../support/tools.js';

const stage = stageForTests();

declare global {
  interface Window {
    steady: import('../../packages/client/src/client.js').SteadyClient;
  }
}

const appOf = (token: string) => `<!doctype html><script type="module">
  import { createClient } from './steady-client/index.js';
  import { indexedDbStorage } from './steady-client/indexeddb.js';
  window.steady = createClient({ url: location.origin, token: '${token}', storage: indexedDbStorage() });
</script>`;

/** Somebody with a habit, and a browser with an app that has the package as it is built, at the origin of the service. */
async function withApp() {
  const ana = await Person.on(stage);
  const taskId = await ana.hasTask('Swim');
  const [way, body] = [await faultyWayTo(stage.base), appOf(await ana.newToken())];
  const context: BrowserContext = await stage.browser.newContext();
  onTestFinished(() => context.close());
  await context.route(`${way.base}/`, (route) => route.fulfill({ contentType: 'text/html', body }));
  await context.route('**/steady-client/*', (route) => {
    const file = route.request().url().replace(/.*\//, 'packages/client/dist/');
    return route.fulfill({ contentType: 'text/javascript', body: readFileSync(file) });
  });
  const open = async () => {
    const page = await context.newPage();
    await page.goto(`${way.base}/`);
    await page.waitForFunction(() => 'steady' in window);
    const tap = (key: string) =>
      page.evaluate(([id, key]) => window.steady.complete(id, { key, note: key }), [taskId, key] as const);
    const size = () => page.evaluate(() => window.steady.queue.size);
    return { page, tap, size };
  };
  return { ana, way, context, open };
}

describe('The package in a browser', needs('Chromium'), () => {
  it('keeps taps of all tabs in IndexedDB, shows them in each, and sends each once', async () => {
    const { ana, way, open } = await withApp();
    const [one, other] = [await open(), await open()];
    way.cut();
    const taps = await Promise.all([one.tap('a'), other.tap('b'), one.tap('c')]);
    expect(taps.map(({ state }) => state)).toEqual(['waiting', 'waiting', 'waiting']);
    for (const { size } of [one, other]) await eventually(async () => (await size()) === 3);
    expect(await other.page.evaluate((each) => window.steady.undo(each), taps[2])).toBe('undone');
    await one.page.close({ runBeforeUnload: false });
    way.mend();
    const third = await open();
    await Promise.all([other, third].map(({ page }) => page.evaluate(() => window.steady.queue.flush())));
    for (const { size } of [other, third]) await eventually(async () => (await size()) === 0);
    const { completions } = await ana.asks('{ completions { nodes { note } } }');
    expect(completions.nodes.map(({ note }: { note: string }) => note).sort()).toEqual(['a', 'b']);
    const { habits } = await third.page.evaluate(() => window.steady.today());
    expect(habits).toMatchObject([{ title: 'Swim', state: 'KEPT', count: 2 }]);
  });

  it('sends taps all the same where the browser keeps nothing', async () => {
    const { ana, context, open } = await withApp();
    await context.addInitScript(() => {
      IDBFactory.prototype.open = () => {
        throw new DOMException('Not here', 'SecurityError');
      };
    });
    const { tap } = await open();
    expect(await tap('a')).toMatchObject({ state: 'sent' });
    expect(await ana.completions()).toBe(1);
  });
});
