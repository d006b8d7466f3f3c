import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startBrowser } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { launch } from '../support/process.js';
import { has, needs } from '../support/tools.js';

const PHONE = { width: 390, height: 844 };
const PATH = '/habits';

let browser: Browser;
let base: string;

beforeAll(async () => {
  if (!has('Chromium')) return;
  const folder = mkdtempSync(path.join(tmpdir(), 'steady-playground-'));
  const environment = {
    DATA_DIR: path.join(folder, 'data'),
    HOST: '127.0.0.1',
    PORT: '0',
    PUBLIC_URL: `https://a.example${PATH}`,
  };
  const service = launch('dist/src/main.js', environment);
  const [rest, started] = await Promise.all([service.listening(), startBrowser()]);
  browser = started;
  base = rest.base;
  return async () => {
    await browser.close();
    await service.stop();
    rmSync(folder, { recursive: true });
  };
});

/** A window of a person who has not been here before, and what it complained about. */
async function newWindow(viewport = { width: 1280, height: 800 }) {
  const context = await browser.newContext({ viewport });
  onTestFinished(() => context.close());
  const faults: string[] = [];
  const open = async (place = '/graphql') => {
    const page = await context.newPage();
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
    page.on('pageerror', (error) => faults.push(String(error)));
    await page.goto(base + place);
    if (place === '/graphql') await page.waitForSelector('.graphiql-query-editor .view-lines');
    return page;
  };
  return { open, faults };
}

async function choose(page: Page, tab: string): Promise<void> {
  await page.getByRole('tab', { name: tab, exact: true }).click();
  await page.locator('.graphiql-query-editor').getByText(tab).first().waitFor();
}

/** Chooses an operation of the tab at the play button, and resolves with the answer once it shows that. */
async function run(page: Page, operation: string, shows: string): Promise<string> {
  // The button becomes one with a menu once the editor has read the document.
  await page
    .getByRole('button', { name: /^Execute query/ })
    .and(page.locator('[aria-haspopup=menu]'))
    .click();
  await page.getByRole('menuitem', { name: operation, exact: true }).click();
  const answer = page.locator('.graphiql-response .view-lines');
  await answer
    .getByText(shows)
    .first()
    .waitFor()
    .catch(async (cause) => {
      throw new Error(await page.locator('.graphiql-container').innerText(), { cause });
    });
  return (await answer.innerText()).replaceAll(/\s+/g, ' '); // long lines are wrapped
}

/** Signs up in the first tab, and resolves with the token. */
async function signUp(page: Page): Promise<string> {
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.request().postData()?.includes('SignUp') ?? false),
    run(page, 'SignUp', 'expiresAt'),
  ]);
  return (await answer.json()).data.signUp.token;
}

/** Copies the token into the headers of the chosen tab. */
async function bring(page: Page, token: string): Promise<void> {
  await page.locator('.graphiql-editor-tool .view-lines').getByText('TOKEN').click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(JSON.stringify({ Authorization: `Bearer ${token}` }));
  await page.keyboard.press('ControlOrMeta+Shift+End'); // the editor has closed quotes and brackets too
  await page.keyboard.press('Delete');
}

describe('The playground, below a public path', needs('Chromium'), () => {
  it('leads from sign-up to a completion, which is heard of in a second window', async () => {
    const { open, faults } = await newWindow();
    const page = await open();
    const token = await signUp(page);
    await choose(page, 'CreateTask');
    await bring(page, token);
    await run(page, 'CreateTask', 'Swim 1 km');
    const second = await open();
    await choose(second, 'LiveProgress');
    await bring(second, token);
    await second.getByRole('button', { name: /^Execute query/ }).click();
    const heard = second.locator('.graphiql-response').getByText('COMPLETION_RECORDED');
    await eventually(async () => {
      expect(await run(page, 'CompleteTask', 'completedAt')).toContain('"streak": { "count": 1 }');
      return heard.isVisible();
    });
    await page.reload();
    await page.waitForSelector('.graphiql-query-editor .view-lines');
    expect(await run(page, 'Today', 'atRisk')).toContain('"doneToday": true');
    expect(faults).toEqual([]);
  });

  it('can be left by the keyboard', async () => {
    const { open } = await newWindow();
    const page = await open();
    await page.locator('.graphiql-query-editor .view-lines').first().click();
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => document.activeElement?.matches('.graphiql-editor, .result-window'));
  });

  it('shows editor, button and answer one below the other on a phone', async () => {
    const { open } = await newWindow(PHONE);
    const page = await open();
    const boxOf = async (selector: string) => {
      const box = await page.locator(selector).first().boundingBox();
      if (!box) throw new Error(`${selector} is not shown`);
      return box;
    };
    const [editor, button, answer] = [
      await boxOf('.graphiql-query-editor'),
      await boxOf('.graphiql-execute-button'),
      await boxOf('.graphiql-response'),
    ];
    for (const { x, width } of [editor, button, answer]) {
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x + width).toBeLessThanOrEqual(PHONE.width);
    }
    expect(editor.width).toBeGreaterThan(300);
    expect(answer.width).toBeGreaterThan(300);
    expect(answer.y).toBeGreaterThan(editor.y + editor.height - 1);
    expect(await page.locator('html').evaluate(({ scrollWidth }) => scrollWidth)).toBe(PHONE.width);
  });
});

/** Presses "Try it out" and "Execute", and resolves with the status of the answer that is shown. */
async function tryOut(page: Page, operationId: string, body?: object): Promise<number> {
  const operation = page.locator(`.opblock[id$="-${operationId}"]`);
  const execute = operation.getByRole('button', { name: 'Execute' });
  if (!(await execute.isVisible())) {
    await operation.locator('.opblock-summary-control').click();
    await operation.getByRole('button', { name: 'Try it out' }).click();
  }
  if (body) await operation.locator('textarea.body-param__text').fill(JSON.stringify(body));
  await execute.click();
  return Number(await operation.locator('.live-responses-table .response-col_status').last().innerText());
}

/** So that the ids in the examples are those of somebody else's rows. */
async function strangerComesFirst(): Promise<void> {
  const post = async (place: string, body: object, token = '') => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const answer = await fetch(`${base}/api${place}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return (await answer.json()) as { token: string };
  };
  const account = { name: 'Bea', email: 'bea@example.com', password: 'one step a day' };
  const { token } = await post('/auth/signup', account);
  await post('/tasks', { title: 'Read' }, token);
  await post('/user-challenges/accept', { templateId: 1 }, token);
}

describe('The page of the REST API, below a public path', needs('Chromium'), () => {
  it('signs up, and fills in token and ids, so that what it offers succeeds', async () => {
    await strangerComesFirst();
    const { open, faults } = await newWindow();
    const page = await open('/api/docs');
    const account = { name: 'Ana', email: 'ana@example.org', password: 'one step a day' };
    expect(await tryOut(page, 'postAuthSignup', account)).toBe(201);
    for (const [operationId, status] of [
      ['postTasks', 201],
      ['putTasksByTaskId', 200],
      ['postTaskCompletions', 201],
      ['postUserChallengesAccept', 201],
      ['putUserChallengesByIdNotes', 200],
      ['putUserChallengesByIdComplete', 200],
      ['postUserChallengesAccept', 201],
      ['putUserChallengesByIdAbandon', 200],
    ] as const) {
      expect(await tryOut(page, operationId), operationId).toBe(status);
    }
    expect(faults).toEqual([]);
  });
});
