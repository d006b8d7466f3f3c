/// <reference lib="dom" />
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { Webhook as Verifier } from 'standardwebhooks';
import { beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import {
  ACCOUNT,
  dialogGone,
  intercept,
  journey,
  newBrowser,
  openDialog,
  row,
  type Stage,
  saved,
  sharedStage,
  tapOn,
  waiting,
} from '../support/page.js';
import { temporaryFolder } from '../support/process.js';
import { Receiver } from '../support/receivers.js';
import { has, needs } from '../support/tools.js';

let stage: Stage;

beforeAll(async () => {
  if (!has('Chromium')) return;
  stage = await sharedStage();
});

let people = 0;

/** By the form of the page. */
async function signUp(page: Page): Promise<string> {
  people += 1;
  const email = `bea${people}@${process.pid}.example.com`;
  await page.getByLabel('Name').fill('Bea');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill('one step a day');
  await page.getByRole('button', { name: 'Sign up', exact: true }).click();
  await page.getByRole('heading', { name: 'Today' }).waitFor();
  return email;
}

async function logIn(page: Page, email: string): Promise<void> {
  const other = page.getByRole('button', { name: 'Log in instead' });
  if (await other.isVisible()) await other.click();
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill('one step a day');
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
}

const openAccount = (page: Page) => openDialog(page, ACCOUNT);

const profile = (token: string) =>
  fetch(`${stage.base}/api/user/profile`, { headers: { authorization: `Bearer ${token}` } });

describe('An account, on the page', needs('Chromium'), () => {
  journey('lives from sign-up to its end: taken along, brought elsewhere, and deleted', async () => {
    const { page, context, faults } = await newBrowser(stage);
    const addresses: string[] = [];
    context.on('request', (request) => void addresses.push(request.url()));
    const email = await signUp(page);
    await page.getByRole('button', { name: 'Drink water' }).click();
    await tapOn(page, 'Drink water').click();
    await saved(page, 'Drink water').waitFor();

    await intercept(context, 'completeTasks', async (route) => {
      const body = route.request().postDataJSON();
      body.variables.input[0].taskId = '999999';
      await route.continue({ postData: JSON.stringify(body) });
    });
    await tapOn(page, 'Drink water').click();
    await page.getByRole('group', { name: 'Refused: Drink water' }).waitFor();
    expect(await waiting(page)).toBe(1);

    await openAccount(page);
    const folder = temporaryFolder();
    const saves = async (name: string) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name }).click(),
      ]);
      const file = path.join(folder, download.suggestedFilename());
      await download.saveAs(file);
      return file;
    };
    const json = await saves('Download everything');
    expect(path.basename(json)).toMatch(/^steady-\d{4}-\d\d-\d\d\.json$/);
    expect(JSON.parse(readFileSync(json, 'utf8'))).toMatchObject({ tasks: [{ title: 'Drink water' }] });
    const csv = await saves('Download completions');
    expect(readFileSync(csv, 'utf8').trim().split('\n')).toHaveLength(2);
    const token = await page.evaluate(
      () => JSON.parse(localStorage.getItem('steady/page:session') ?? '').token,
    );
    expect(addresses.join()).not.toContain(token);

    const other = await newBrowser(stage);
    await signUp(other.page);
    await openAccount(other.page);
    await other.page.getByText('Import an export').click();
    await other.page.getByLabel('A file with everything').setInputFiles(csv);
    await other.page.getByRole('button', { name: 'Import' }).click();
    await other.page.getByRole('alert').getByText(/JSON/).waitFor();
    await other.page.getByLabel('A file with everything').setInputFiles(json);
    await other.page.getByRole('button', { name: 'Import' }).click();
    await other.page.locator('.notice').getByText('Imported: 1 habit, done 1 time.').waitFor();
    await saved(other.page, 'Drink water').waitFor();

    await page.getByRole('button', { name: 'Delete the account' }).click();
    const sure = page.getByRole('dialog', { name: 'Delete the account?' });
    await sure.getByText('Nobody can bring it back').waitFor();
    await sure.getByRole('button', { name: 'Download everything' }).waitFor();
    await sure.getByLabel('Password').fill('one step a week');
    await sure.getByRole('button', { name: 'Delete it for good' }).click();
    await sure.getByRole('alert').getByText('password', { exact: false }).waitFor();
    expect((await profile(token)).status).toBe(200);
    await sure.getByLabel('Password').fill('one step a day');
    await sure.getByRole('button', { name: 'Delete it for good' }).click();
    await page.locator('.notice').getByText('The account and all in it are gone.').waitFor();
    expect((await profile(token)).status).toBe(401);
    expect(await waiting(page)).toBe(0);
    expect(await page.content()).not.toContain('Drink water');
    await logIn(page, email);
    await page
      .getByRole('alert')
      .getByText(/password/)
      .waitFor();
    expect([...faults, ...other.faults].filter((fault) => !fault.includes('400'))).toEqual([]);
  });

  it('makes API tokens that it shows once, lists and revokes', async () => {
    const { page } = await newBrowser(stage);
    await signUp(page);
    await openAccount(page);
    const lastDay = new Date(Date.now() + 365 * 86_400_000).toISOString().slice(0, 10);
    await page.getByRole('button', { name: 'API tokens' }).click();
    await page.getByLabel('What is it for?').fill('the button at the door');
    await page.getByLabel('Record what is done').check();
    await page.getByLabel('It ends on').fill(lastDay);
    await page.getByRole('button', { name: 'New API token' }).click();
    const token = await page.getByLabel('Shown this once').inputValue();
    expect(token).toMatch(/^steady_\w{36}$/);
    expect((await profile(token)).status).toBe(200);
    const listed = page.locator('dialog .row');
    const ending = token.slice(-4);
    const [weekday = '', date = ''] = new Date(lastDay).toUTCString().slice(0, 16).split(', ');
    expect((await listed.innerText()).replace(`${weekday},`, weekday)).toContain(
      `the button at the door …${ending} · Read everything, Record what is done · until ${weekday} ${date.replace(/^0/, '')}`,
    );
    await page.keyboard.press('Escape');
    await dialogGone(page);
    await openAccount(page);
    await page.getByRole('button', { name: 'API tokens' }).click();
    await listed.getByText('the button at the door').waitFor();
    expect(await page.getByRole('dialog').innerHTML()).not.toContain(token);
    await listed.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog', { name: 'Revoke “the button at the door”?' }).waitFor();
    await page.getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByRole('dialog', { name: 'API tokens' }).waitFor();
    expect(await listed.count()).toBe(0);
    expect((await profile(token)).status).toBe(401);
  });

  it('makes the address of a calendar that it shows once, lists and revokes', async () => {
    const { page } = await newBrowser(stage);
    await signUp(page);
    await openAccount(page);
    await page.getByRole('button', { name: 'Calendars' }).click();
    await page.getByLabel('Name').fill('At work');
    await page.getByLabel('With a link').check();
    await page.getByRole('button', { name: 'Make an address' }).click();
    const url = await page.getByLabel('Shown this once').inputValue();
    expect(url).toMatch(new RegExp(`^${stage.base}/calendar/[\\w-]{43}\\.ics$`));
    expect(await (await fetch(url)).text()).toContain('X-WR-CALNAME:At work');
    const listed = page.locator('dialog .row');
    await listed.getByText('At work').waitFor();
    await listed.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog', { name: 'Revoke “At work”?' }).waitFor();
    await page.getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByRole('dialog', { name: 'Calendars' }).waitFor();
    expect(await listed.count()).toBe(0);
    expect((await fetch(url)).status).toBe(404);
  });

  it('adds webhooks whose secret it shows once, lists them, lets those go on that are paused, and removes them', async () => {
    const receiver = await new Receiver().start();
    const { host } = new URL(receiver.url);
    const { page } = await newBrowser(stage);
    await signUp(page);
    const openWebhooks = async () => {
      await openAccount(page);
      await page.getByRole('button', { name: 'Webhooks' }).click();
      await page.getByLabel('Address').waitFor();
    };
    const closeDialog = async () => {
      await page.keyboard.press('Escape');
      await dialogGone(page);
    };
    await openWebhooks();
    await page.getByLabel('Name').fill('My house');
    await page.getByLabel('Address').fill('https://169.254.169.254/');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('alert').getByText('This service sends nothing to this address.').waitFor();
    await page.getByLabel('Address').fill(`${receiver.url}/told`);
    await page.getByRole('button', { name: 'Add' }).click();
    const secret = await page.getByLabel('Shown this once').inputValue();
    const listed = page.locator('dialog .row');
    await listed.getByText(`My house ${host} · not tried yet`).waitFor();
    await closeDialog();

    await page.getByRole('button', { name: 'Drink water' }).click();
    await expect.poll(() => receiver.taken.length).toBe(1);
    const [{ text, headers } = { text: '', headers: {} }] = receiver.taken;
    const told = new Verifier(secret).verify(text, headers as Record<string, string>);
    expect(told).toMatchObject({ type: 'task.created' });
    receiver.manner = 410;
    await tapOn(page, 'Drink water').click();
    await expect.poll(() => receiver.taken.length).toBe(2);
    await eventually(async () => {
      await openWebhooks();
      const isPaused = await listed.getByText('paused').isVisible();
      if (!isPaused) await closeDialog();
      return isPaused;
    });
    expect(await page.getByRole('dialog').innerHTML()).not.toContain(secret);
    receiver.manner = 200;
    await listed.getByRole('button', { name: 'Resume My house' }).click();
    await expect.poll(() => receiver.taken.length).toBe(3);
    expect(await listed.getByRole('button', { name: 'Resume' }).count()).toBe(0);
    expect(receiver.taken[2]?.text).toBe(receiver.taken[1]?.text);

    await listed.getByRole('button', { name: 'Remove My house' }).click();
    await page.getByRole('dialog', { name: 'Remove “My house”?' }).waitFor();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('dialog', { name: 'Webhooks' }).waitFor();
    expect(await listed.count()).toBe(0);
  });

  it('reloads a page whose documents the schema does not know, once', async () => {
    const { page, context } = await newBrowser(stage);
    await signUp(page);
    const second = await context.newPage();
    await second.goto(`${stage.base}/`);
    await page.getByRole('button', { name: 'Drink water' }).click();
    await row(second, 'Drink water').waitFor();
    await second.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await tapOn(page, 'Drink water').click();
    await saved(second, 'Drink water').waitFor();
    await context.route('**/graphql', async (route) => {
      const body = route.request().postDataJSON();
      await route.continue({
        postData: JSON.stringify({ ...body, query: body.query.replace('{', '{ ofAnotherRelease ') }),
      });
    });
    let loads = 0;
    page.on('load', () => {
      loads += 1;
    });
    await tapOn(page, 'Drink water').click();
    await eventually(() => loads > 0);
    await page.locator('.notice').getByText('This page is out of date. Please reload it.').waitFor();
    await row(page, 'Drink water').getByText('waiting').waitFor();
    await context.unrouteAll();
    await saved(page, 'Drink water').getByText('2 of 8 glasses').waitFor();
    expect(loads).toBe(1);
  });
});
