import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { mailTexts } from '../../src/features/mail/texts/index.js';
import { AccountMails } from '../../src/features/sign-in/account-mails.js';
import { MailLimit } from '../../src/features/sign-in/mail-limit.js';
import { ownDatabase } from '../support/database.js';
import { configWithMail, mailCatcher, mailsWaiting, PUBLIC_URL } from '../support/mail.js';
import { SECRET, world } from '../support/world.js';

it('The account is mailed when an address of a webhook is set, and when one is paused', async () => {
  const catcher = await mailCatcher();
  const database = await ownDatabase();
  const config = configWithMail(catcher, { WEBHOOK_HOSTS: '127.0.0.0/8' });
  const here = await world({ database, config });
  const email = 'ana@example.com';
  const ana = await here.newUser({ email });
  const url = 'http://127.0.0.1:9';
  const made = await ana.query(
    `mutation { createWebhook(input: { url: "${url}", name: "x" }) { webhook { id } } }`,
  );
  const { id } = made.createWebhook.webhook;
  const change = (to: string) =>
    ana.query(`mutation { updateWebhook(input: { id: "${id}", ${to} }) { webhook { id } } }`);
  await change('name: "y"');
  await change(`url: "${url}"`);
  await change(`url: "${url}/elsewhere"`);
  const limit = new MailLimit(database, here.clock);
  const mails = new AccountMails(database, here.clock, limit, PUBLIC_URL, SECRET);
  await database.transaction((tx) => mails.webhookPaused(tx.getKysely(), ana.id));
  const { webhookSet, webhookPaused } = mailTexts.EN;
  await expect
    .poll(async () => (await catcher.mailsTo(email)).map(({ subject }) => subject))
    .toEqual(expect.arrayContaining([webhookSet.subject, webhookPaused.subject]));
  await expect
    .poll(async () => (await catcher.mailsTo(email)).filter(({ subject }) => subject === webhookSet.subject))
    .toHaveLength(2);
});

it('Addresses that nobody has confirmed get twenty such mails an hour, all together', async () => {
  const database = await ownDatabase();
  const { clock, newUser } = await world({ database });
  const limit = new MailLimit(database, clock);
  const mails = new AccountMails(database, clock, limit, PUBLIC_URL, SECRET);
  const tells = (userId: string) => database.transaction((tx) => mails.webhookSet(tx.getKysely(), userId));
  for (let made = 0; made < 22; made += 1) await tells((await newUser()).id);
  expect(await mailsWaiting(database)).toBe(20);
  const { id } = await newUser();
  await sql`update users set email_confirmed_at = now() where id = ${id}`.execute(database.query());
  await tells(id);
  expect(await mailsWaiting(database)).toBe(21);
});
