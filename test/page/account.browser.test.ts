/// <reference lib="dom" />
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import {
  ACCOUNT,
  dialogGone,
  intercept,
  journey,
  openDialog,
  Person,
  row,
  saved,
  stageForTests,
  tapOn,
  waiting,
} from '../support/page.js';
import { temporaryFolder } from '../support/process.js';
import { Receiver } from '../support/receivers.js';
import { needs } from '../support/tools.js';

const stage = stageForTests();

const openAccount = (page: Page) => openDialog(page, ACCOUNT);

const profile = (token: string) =>
  fetch(`${stage.base}/api/user/profile`, { headers: { authorization: `Bearer ${token}` } });

describe('An account, on the page', needs('Chromium'), () => {
  journey('is taken along, brought elsewhere, and deleted', async () => {
    const ana = await Person.on(stage);
    await ana.hasTask('Drink water', { target: { amount: 8, unit: 'glasses' } });
    const { page, context, faults } = await ana.opens();
    const addresses: string[] = [];
    context.on('request', (request) => void addresses.push(request.url()));
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

    const other = await (await Person.on(stage)).opens();
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
    await page.getByLabel('E-mail').fill(ana.email);
    await page.getByLabel('Password').fill('one step a day');
    await page.getByRole('button', { name: 'Log in', exact: true }).click();
    await page.getByRole('alert').getByText('password', { exact: false }).waitFor();
    expect([...faults, ...other.faults].filter((fault) => !fault.includes('400'))).toEqual([]);
  });

  it('makes API tokens, addresses of calendars and webhooks that it shows once, lists and ends', async () => {
    const receiver = await new Receiver().start();
    const { page } = await (await Person.on(stage)).opens();
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const shownOnce = () => page.getByLabel('Shown this once').inputValue();
    const listed = page.locator('dialog .row');
    const openOf = async (name: string, shows: string) => {
      await openAccount(page);
      await button(name).click();
      await page.getByLabel(shows).waitFor();
    };
    const closes = async () => {
      await page.keyboard.press('Escape');
      await dialogGone(page);
    };
    const ends = async (word: string, name: string, view: string) => {
      await listed.getByRole('button', { name: word }).click();
      await page.getByRole('dialog', { name: `${word} “${name}”?` }).waitFor();
      await button(word).click();
      await page.getByRole('dialog', { name: view }).waitFor();
      expect(await listed.count()).toBe(0);
      await closes();
    };

    await openOf('API tokens', 'What is it for?');
    await page.getByLabel('What is it for?').fill('the button at the door');
    await page.getByLabel('Record what is done').check();
    await page.getByLabel('It ends on').fill(`${new Date().getFullYear() + 1}-01-02`);
    await button('New API token').click();
    const token = await shownOnce();
    expect((await profile(token)).status).toBe(200);
    expect(await listed.innerText()).toMatch(
      new RegExp(`door …${token.slice(-4)} · Read everything, Record what is done · until .* 2 Jan `),
    );
    await closes();
    await openOf('API tokens', 'What is it for?');
    await listed.getByText('the button at the door').waitFor();
    expect(await page.getByRole('dialog').innerHTML()).not.toContain(token);
    await ends('Revoke', 'the button at the door', 'API tokens');
    expect((await profile(token)).status).toBe(401);

    await openOf('Calendars', 'Name');
    await page.getByLabel('Name').fill('At work');
    await button('Make an address').click();
    const url = await shownOnce();
    expect(await (await fetch(url)).text()).toContain('X-WR-CALNAME:At work');
    await ends('Revoke', 'At work', 'Calendars');
    expect((await fetch(url)).status).toBe(404);

    await openOf('Webhooks', 'Address');
    await page.getByLabel('Name').fill('My house');
    await page.getByLabel('Address').fill('https://169.254.169.254/');
    await button('Add').click();
    await page.getByRole('alert').getByText('This service sends nothing to this address.').waitFor();
    await page.getByLabel('Address').fill(`${receiver.url}/told`);
    await button('Add').click();
    const secret = await shownOnce();
    await listed.getByText(`My house ${new URL(receiver.url).host} · not tried yet`).waitFor();
    await closes();
    receiver.manner = 410;
    await button('Drink water').click();
    await eventually(async () => {
      await openOf('Webhooks', 'Address');
      const isPaused = await listed.getByText('paused').isVisible();
      if (!isPaused) await closes();
      return isPaused;
    });
    expect(await page.getByRole('dialog').innerHTML()).not.toContain(secret);
    receiver.manner = 200;
    await button('Resume My house').click();
    await expect.poll(() => receiver.taken.length).toBe(2);
    await ends('Remove', 'My house', 'Webhooks');
  });

  it('reloads a page whose documents the schema does not know, once', async () => {
    const ana = await Person.on(stage);
    await ana.hasTask('Swim', { target: { amount: 9, unit: 'lengths' } });
    const { page, context } = await ana.opens();
    await row(page, 'Swim').waitFor();
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
    await tapOn(page, 'Swim').click();
    await eventually(() => loads > 0);
    await page.locator('.notice').getByText('This page is out of date. Please reload it.').waitFor();
    await row(page, 'Swim').getByText('waiting').waitFor();
    await context.unrouteAll();
    await saved(page, 'Swim').getByText('1 of 9 lengths').waitFor();
    expect(loads).toBe(1);
  });
});
