import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startBrowser } from '../support/browser.js';
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
    PUBLIC_PATH: PATH,
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

/** Runs the chosen tab, and resolves with the answer that is shown. */
async function runTab(page: Page, shows: string, operation?: string): Promise<string> {
  // The button becomes one with a menu, and one without, once the editor has read the document.
  const kind = page.locator(operation ? '[aria-haspopup=menu]' : ':not([aria-haspopup])');
  await page
    .getByRole('button', { name: /^Execute query/ })
    .and(kind)
    .click();
  if (operation) await page.getByRole('menuitem', { name: operation, exact: true }).click();
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

let people = 0;

async function signUp(page: Page): Promise<void> {
  people += 1;
  const email = `ana${people}@example.com`;
  await page.locator('.graphiql-editor-tool .view-lines').first().click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(
    JSON.stringify({ input: { name: 'Ana', email, password: 'one step a day' } }),
  );
  await page.keyboard.press('ControlOrMeta+Shift+End'); // the editor has closed quotes and brackets too
  await page.keyboard.press('Delete');
  await runTab(page, 'signUp');
  await page.getByText(`Signed in as ${email}`).waitFor();
}

describe('The playground, below a public path', needs('Chromium'), () => {
  it('leads from sign-up to a completion and back, and ids need not be copied', async () => {
    const { open, faults } = await newWindow();
    const page = await open();
    await signUp(page);
    await choose(page, 'CreateTask');
    await runTab(page, 'Swim 1 km');
    await choose(page, 'CompleteTask');
    expect(await runTab(page, 'completedAt')).toContain('"streak": { "count": 1 }');
    await choose(page, 'Undo');
    expect(await runTab(page, 'undoCompletion')).toContain('"completionCount": 0');
    await choose(page, 'Challenges');
    await runTab(page, 'durationDays', 'Challenges');
    await runTab(page, 'ACTIVE', 'AcceptChallenge');
    await choose(page, 'EndChallenge');
    await runTab(page, 'COMPLETED');
    expect(faults).toEqual([]);
  });

  it('shows today and the last weeks, and undoes what it has shown', async () => {
    const { open, faults } = await newWindow();
    const page = await open();
    await signUp(page);
    await choose(page, 'CreateTask');
    await runTab(page, 'Swim 1 km');
    await choose(page, 'Today');
    expect(await runTab(page, 'atRisk')).toContain(
      '"state": "DUE", "amount": 0, "left": null, "lastCompletionId": null',
    );
    await choose(page, 'CompleteTask');
    await runTab(page, 'completedAt');
    await choose(page, 'Calendar');
    const [answer] = await Promise.all([page.waitForResponse(`**${PATH}/graphql`), runTab(page, 'longest')]);
    const { me, task } = (await answer.json()).data; // the window shows only its first lines
    expect([me.calendar.length, task.calendar.length]).toEqual([28, 28]);
    expect(me.calendar.at(-1)).toMatchObject({ completions: 1, points: 15, streakEffect: 'STARTED' });
    expect(task).toMatchObject({ title: 'Swim 1 km' });
    expect(task.calendar.at(-1).completions).toBe(1);
    await page.reload(); // what the answers told is forgotten
    await page.waitForSelector('.graphiql-query-editor .view-lines');
    await choose(page, 'Today');
    await runTab(page, '"state": "KEPT"');
    await choose(page, 'Undo');
    expect(await runTab(page, 'undoCompletion')).toContain('"completionCount": 0');
    expect(faults).toEqual([]);
  });

  it('says which tab signs in', async () => {
    const { open } = await newWindow();
    const page = await open();
    await choose(page, 'TasksWithCounts');
    expect(await runTab(page, 'UNAUTHENTICATED')).toContain('run the tab SignUp');
  });

  it('is signed in in a second tab too, shows live progress there, and says when that has ended', async () => {
    const { open } = await newWindow();
    const first = await open();
    await signUp(first);
    const second = await open();
    await second.getByText(/^Signed in as/).waitFor();
    await choose(second, 'LiveProgress');
    await second.getByRole('button', { name: /^Execute query/ }).click();
    await second.getByText('Subscription running').waitFor();
    await choose(first, 'CreateTask');
    await runTab(first, 'Swim 1 km');
    await choose(first, 'CompleteTask');
    await runTab(first, 'completedAt');
    await second.locator('.graphiql-response').getByText('COMPLETED').waitFor();
    await choose(second, 'CreateTask');
    await second.getByText('Subscription ended: run it again to go on').waitFor();
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
    await runTab(page, 'signUp');
    const shown = await boxOf('.graphiql-response');
    expect(shown.y).toBeLessThan(PHONE.height - 200);
  });

  it('lends its token to the page of the REST API', async () => {
    const { open, faults } = await newWindow();
    const playground = await open();
    await signUp(playground);
    const page = await open('/api/docs');
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    await page.getByRole('heading', { name: 'Available authorizations' }).waitFor();
    await page.getByRole('button', { name: 'Remove authorization' }).waitFor();
    await page.getByRole('button', { name: 'Close' }).first().click();
    expect(await tryOut(page, 'getUserProfile')).toBe(200);
    expect(faults).toEqual([]);
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
