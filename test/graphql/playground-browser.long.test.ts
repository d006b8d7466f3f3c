import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startBrowser } from '../support/browser.js';
import { launch } from '../support/process.js';
import { has, needs } from '../support/tools.js';
import { RestClient, signUp } from '../support/world.js';

let browser: Browser;
let base: string;

beforeAll(async () => {
  if (!has('Chromium')) return;
  const folder = mkdtempSync(path.join(tmpdir(), 'steady-playground-'));
  const environment = {
    ...{ DATA_DIR: path.join(folder, 'data'), HOST: '127.0.0.1', PORT: '0' },
    PUBLIC_URL: 'https://a.example/habits',
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
async function open(place: string) {
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on('pageerror', (error) => faults.push(String(error)));
  await page.goto(base + place);
  return { page, faults };
}

/** Chooses an operation of the tab at the play button, and resolves once the answer shows that. */
async function run(page: Page, operation: string, shows: string): Promise<void> {
  // The button becomes one with a menu once the editor has read the document.
  await page
    .getByRole('button', { name: /^Execute query/ })
    .and(page.locator('[aria-haspopup=menu]'))
    .click();
  await page.getByRole('menuitem', { name: operation, exact: true }).click();
  await page.locator('.graphiql-response .view-lines').getByText(shows).first().waitFor();
}

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

describe('Below a public path', needs('Chromium'), () => {
  it('the playground leads from sign-up to a task', async () => {
    const { page, faults } = await open('/graphql');
    await page.waitForSelector('.graphiql-query-editor .view-lines');
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.request().postData()?.includes('SignUp') ?? false),
      run(page, 'SignUp', 'expiresAt'),
    ]);
    const { token } = (await answer.json()).data.signUp;
    await page.getByRole('tab', { name: 'CreateTask', exact: true }).click();
    await page.locator('.graphiql-query-editor').getByText('CreateTask').first().waitFor();
    await page.locator('.graphiql-editor-tool .view-lines').getByText('TOKEN').click();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.insertText(JSON.stringify({ Authorization: `Bearer ${token}` }));
    await page.keyboard.press('ControlOrMeta+Shift+End'); // the editor has closed quotes and brackets too
    await page.keyboard.press('Delete');
    await run(page, 'CreateTask', 'Swim 1 km');
    expect(faults).toEqual([]);
  });

  it('the page of the REST API signs up, and fills in token and ids, so that what it offers succeeds', async () => {
    const bea = await signUp(new RestClient(base), { name: 'Bea' }); // the ids in the examples are of her rows
    await bea.hasTask();
    await bea.hasAccepted();
    const { page, faults } = await open('/api/docs');
    const account = { name: 'Ana', email: 'ana@example.org', password: 'one step a day' };
    expect(await tryOut(page, 'postAuthSignup', account)).toBe(201);
    for (const [operationId, status] of [
      ['postTasks', 201],
      ['putTasksByTaskId', 200],
      ['postTaskCompletions', 201],
      ['postUserChallengesAccept', 201],
      ['putUserChallengesByIdNotes', 200],
      ['putUserChallengesByIdComplete', 200],
    ] as const)
      expect(await tryOut(page, operationId), operationId).toBe(status);
    expect(faults).toEqual([]);
  });
});
