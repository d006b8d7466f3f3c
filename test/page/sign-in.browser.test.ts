/// <reference lib="dom" />
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { MailCatcher } from '../support/mail.js';
import {
  ACCOUNT,
  faultOf,
  journey,
  newBrowser,
  openDialog,
  openStage,
  Person,
  PHONE,
  type Stage,
} from '../support/page.js';
import { freePort } from '../support/port.js';
import { CLIENT_ID, CLIENT_SECRET, TestProvider } from '../support/provider.js';
import { needs } from '../support/tools.js';

const catcher = new MailCatcher();
const provider = new TestProvider();
const stage = {} as Stage;

beforeAll(async () => {
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  await Promise.all([catcher.start(), provider.start({ redirectUris: [`${base}/auth/oidc/callback`] })]);
  const settings = {
    ...{ PORT: String(port), PUBLIC_URL: base, OIDC_NAME: 'Our house' },
    ...{ OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: CLIENT_ID, OIDC_CLIENT_SECRET: CLIENT_SECRET },
    ...{ SMTP_URL: `smtp://127.0.0.1:${catcher.port}`, MAIL_FROM: 'Steady <habits@example.com>' },
  };
  Object.assign(stage, await openStage(settings));
  return async () => {
    await stage.close();
    await Promise.all([catcher.stop(), provider.stop()]);
  };
});

const open = (options = {}) => newBrowser(stage, { viewport: PHONE, ...options });

/** What the page says as a whole. */
const told = (page: Page, text: string) => page.locator('.notice', { hasText: text }).waitFor();

const linkFor = async (email: string, fragment: string, count = 1) =>
  `${stage.base}/#${fragment}=${await catcher.secretFor(email, fragment, count)}`;

describe('Who forgot the password', needs('Chromium'), () => {
  journey('gets back in by a mail, with a link that is good once', async () => {
    const ana = await Person.on(stage);
    const { page, faults } = await open();
    await page.getByRole('button', { name: 'Log in instead' }).click();
    await page.getByLabel('E-mail').fill(ana.email);
    await page.getByRole('button', { name: 'Forgot your password?' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByLabel('E-mail').inputValue()).toBe(ana.email);
    await dialog.getByRole('button', { name: 'Send the link' }).click();
    await told(page, 'If there is an account with this address');
    await told(page, 'There are at most three an hour: use the last one.');
    await dialog.waitFor({ state: 'detached' });
    const link = await linkFor(ana.email, 'reset', 2);

    await page.goto(link); // where the page is open already
    await page.getByRole('heading', { name: 'Choose a new password' }).waitFor();
    expect(page.url()).toBe(`${stage.base}/`);
    await page.getByLabel('New password').fill('two steps a day');
    await page.getByRole('button', { name: 'Set the password' }).click();
    await told(page, 'Your new password is set. Log in with it.');
    await expect.poll(() => page.getByLabel('E-mail').inputValue()).toBe(ana.email);
    await page.getByLabel('Password').fill('two steps a day');
    await page.getByRole('button', { name: 'Log in', exact: true }).click();
    await page.locator('.today h2').waitFor();
    expect(faults).toEqual([]);

    const { page: other } = await open();
    await other.goto('about:blank');
    await other.goto(link);
    await other.getByLabel('New password').fill('three steps a day');
    await other.getByRole('button', { name: 'Set the password' }).click();
    await other.getByText('The link is no longer good').waitFor();
    await other.getByRole('button', { name: 'Forgot your password?' }).click();
    await other.getByRole('dialog').getByRole('button', { name: 'Send the link' }).waitFor();
  });
});

describe('An e-mail address', needs('Chromium'), () => {
  it('is confirmed by a button, changed, and taken back by whoever had it', async () => {
    const ana = await Person.on(stage);
    const { page } = await ana.opens({ viewport: PHONE });
    await openDialog(page, ACCOUNT);
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Your e-mail address is not confirmed yet.').waitFor();

    const mailed = await open();
    await mailed.page.goto('about:blank');
    await mailed.page.goto(await linkFor(ana.email, 'confirm'));
    await mailed.page.getByRole('button', { name: 'Confirm', exact: true }).click();
    await told(mailed.page, `${ana.email} is confirmed.`);
    await mailed.page.getByRole('heading', { name: 'Welcome back' }).waitFor();

    await dialog.getByText('Change the e-mail address').click();
    const address = dialog.locator('details', { hasText: 'New e-mail address' });
    await address.getByLabel('New e-mail address').fill(`new-${ana.email}`);
    const current = address.getByLabel('Current password');
    await current.fill('one step a week');
    await address.getByRole('button', { name: 'Save' }).click();
    await address.getByRole('alert').getByText('password', { exact: false }).waitFor();
    await expect.poll(() => faultOf(current)).not.toBe('');
    await current.fill('one step a day');
    expect(await faultOf(current)).toBe('');
    await address.getByRole('button', { name: 'Save' }).click();
    await told(page, `Your e-mail address is new-${ana.email} now.`);

    const undoing = await linkFor(ana.email, 'undo-email', 2);
    await page.goto(undoing);
    await page.getByRole('button', { name: 'Undo the change' }).click();
    await page.getByRole('heading', { name: 'Please log in again' }).waitFor();
    await told(page, `Your e-mail address is ${ana.email} again.`); // though the log-in has ended by it
    await expect.poll(() => page.getByLabel('E-mail').inputValue()).toBe(ana.email);
  });
});

describe('A provider of log-ins', needs('Chromium'), () => {
  const logsInAs = async (page: Page, who: string) => {
    await page.getByRole('link', { name: 'Log in with Our house' }).click();
    await page.getByText('Who are you?').waitFor();
    await page.goto(`${page.url()}?who=${who}`);
  };

  it('makes an account, connects one that is there, and is taken away again', async () => {
    provider.people.set('eva', { sub: 'eva', name: 'Eva', email: 'eva@example.com', email_verified: true });
    const { page } = await open();
    await logsInAs(page, 'nobody');
    await told(page, 'The log-in was cancelled.');
    await page.goto(`${stage.base}/#login-error=Call-0800-555-0100`); // in a link that somebody sends
    await told(page, 'The log-in did not work.');
    expect(await page.locator('body').innerText()).not.toContain('0800');
    await logsInAs(page, 'eva');
    await page.locator('.today h2').waitFor();
    expect(page.url()).toBe(`${stage.base}/`);
    await openDialog(page, ACCOUNT);
    const account = page.getByRole('dialog');
    for (const _sure of [1, 2]) await account.getByRole('button', { name: 'Disconnect' }).click();
    await account.getByText('If you have none, set one first.').waitFor();
    await account.getByText('This is the only way into your account. Set a password first').waitFor();

    const ana = await Person.on(stage);
    provider.people.set('ana', { sub: 'ana', name: 'Ana', email: ana.email, email_verified: true });
    const { page: other } = await open();
    await other.getByRole('button', { name: 'Log in instead' }).click();
    await logsInAs(other, 'ana');
    await told(other, 'Log in with your password once');
    await ana.logsIn(other);
    expect(await other.locator('.notice').count()).toBe(0);
    await openDialog(other, ACCOUNT);
    const dialog = other.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Connect with Our house' }).click();
    await told(other, 'The two are connected.');
    await openDialog(other, ACCOUNT);
    await dialog.getByText('Connected with Our house since').waitFor();
    for (const _sure of [1, 2]) await dialog.getByRole('button', { name: 'Disconnect' }).click();
    await dialog.getByText('You can log in with Our house too.').waitFor();
    expect(await ana.asks('{ me { identities { id } } }')).toEqual({ me: { identities: [] } });
  });
});
