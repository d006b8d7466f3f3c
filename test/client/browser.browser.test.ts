/// <reference lib="dom" />

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Page } from 'playwright-core';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { sharedBrowser } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { copiedData, launch } from '../support/process.js';
import { needs } from '../support/tools.js';
import { type RestClient, signUp, type TestUser } from '../support/world.js';

let rest: RestClient;

beforeAll(async () => {
  const { DATA_DIR, remove } = copiedData();
  const service = launch('dist/src/main.js', { DATA_DIR });
  rest = await service.listening();
  return async () => {
    await service.stop();
    remove();
  };
});

type Client = import('../../packages/client/src/client.js').SteadyClient;

declare global {
  interface Window {
    steady: Client;
  }
}

const APP = `<!doctype html><script type="module">
  import { createClient } from './steady-client/index.js';
  import { indexedDbStorage } from './steady-client/indexeddb.js';
  window.steady = createClient({ url: location.origin, token: 'TOKEN', storage: indexedDbStorage() });
</script>`;

/** A page, the package as it is built, and the service below the same origin. */
async function app(ana: TestUser): Promise<{ url: string; cut: (isCut: boolean) => void }> {
  let isCut = false;
  const server = createServer(async (request, response) => {
    const { url = '/', method = 'GET', headers } = request;
    if (url.startsWith('/steady-client/')) {
      const file = readFileSync(url.replace('/steady-client', 'packages/client/dist'));
      return response.writeHead(200, { 'content-type': 'text/javascript' }).end(file);
    }
    if (url !== '/graphql') {
      return response.writeHead(200, { 'content-type': 'text/html' }).end(APP.replace('TOKEN', ana.token));
    }
    let body = '';
    for await (const chunk of request) body += chunk;
    if (isCut) return response.destroy();
    const { authorization = '', accept = '' } = headers;
    const asked = { method, body, headers: { 'content-type': 'application/json', authorization, accept } };
    const answer = await fetch(`${rest.base}/graphql`, asked);
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    response.flushHeaders();
    for await (const chunk of answer.body ?? []) response.write(chunk);
    return response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const cut = (next: boolean) => {
    isCut = next;
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, cut };
}

async function newContext(): Promise<BrowserContext> {
  const context = await (await sharedBrowser()).newContext();
  onTestFinished(() => context.close());
  return context;
}

async function open(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(url);
  await page.waitForFunction(() => 'steady' in window);
  return page;
}

const tap = (page: Page, taskId: string, key: string) =>
  page.evaluate(([id, name]) => window.steady.complete(id, { key: name, note: name }), [
    taskId,
    key,
  ] as const);

const sizeIn = (page: Page) => page.evaluate(() => window.steady.queue.size);

describe('The package in a browser', needs('Chromium'), () => {
  it('keeps taps of all tabs in IndexedDB, shows them in each, and sends each once', async () => {
    const ana = await signUp(rest);
    const taskId = String((await ana.hasTask()).id);
    const { url, cut } = await app(ana);
    const context = await newContext();
    const [one, other] = [await open(context, url), await open(context, url)];
    cut(true);
    const taps = await Promise.all([tap(one, taskId, 'a'), tap(other, taskId, 'b'), tap(one, taskId, 'c')]);
    expect(taps.map(({ state }) => state)).toEqual(['waiting', 'waiting', 'waiting']);
    for (const page of [one, other]) await eventually(async () => (await sizeIn(page)) === 3);
    expect(await other.evaluate((each) => window.steady.undo(each), taps[2])).toBe('undone');
    await one.close({ runBeforeUnload: false });
    await other.reload();
    await other.waitForFunction(() => 'steady' in window);
    cut(false);
    const third = await open(context, url);
    await Promise.all([other, third].map((page) => page.evaluate(() => window.steady.queue.flush())));
    for (const page of [other, third]) await eventually(async () => (await sizeIn(page)) === 0);
    const { completions } = await ana.query('{ completions { nodes { note } } }');
    expect(completions.nodes.map(({ note }: { note: string }) => note).sort()).toEqual(['a', 'b']);
    const { habits } = await third.evaluate(() => window.steady.today());
    expect(habits).toMatchObject([{ title: 'Swim', state: 'KEPT', count: 2 }]);
  });

  it('sends taps all the same where the browser keeps nothing', async () => {
    const ana = await signUp(rest);
    const taskId = String((await ana.hasTask()).id);
    const { url } = await app(ana);
    const context = await newContext();
    await context.addInitScript(() => {
      IDBFactory.prototype.open = () => {
        throw new DOMException('Not here', 'SecurityError');
      };
    });
    const page = await open(context, url);
    expect(await tap(page, taskId, 'a')).toMatchObject({ state: 'sent' });
    expect(await ana.profile()).toMatchObject({ points: 10 });
  });
});
