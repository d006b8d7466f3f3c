import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Passwords } from '../../src/base/passwords/passwords.js';
import { AdministrationService } from '../../src/features/account/administration.service.js';
import { mailTexts } from '../../src/features/mail/texts/index.js';
import { printedResetLink } from '../../src/features/sign-in/reset-link.js';
import { ownDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { eventsOf, withFeed } from '../support/feed.js';
import { configWithMail, DOCUMENTS, mailCatcher, mailsWaiting, PUBLIC_URL } from '../support/mail.js';
import { type Answer, type TestUser, type World, world } from '../support/world.js';

const newAddress = () => `10.${Math.ceil(Math.random() * 250)}.${Math.ceil(Math.random() * 250)}.7`;

/** A service with mail and a database of its own, and what strangers can ask it. */
async function mailed(environment?: Record<string, string>) {
  const catcher = await mailCatcher();
  const database = await ownDatabase();
  const config = { ...configWithMail(catcher, environment), loginAttemptsPerAccount: 5 };
  const here = await world({ database, config });
  return { ...here, ...strangerTo(here), catcher, config };
}

type Mailed = Awaited<ReturnType<typeof mailed>>;

function strangerTo({ rest }: Pick<World, 'rest'>) {
  const ask = (name: keyof typeof DOCUMENTS, variables: Record<string, unknown>, address = newAddress()) =>
    rest.post('/graphql', { query: DOCUMENTS[name], variables }, { 'X-Forwarded-For': address });
  return {
    ask,
    forgets: (email: string, address?: string) => ask('requestPasswordReset', { email }, address),
    resets: (token: string, newPassword = 'secret2', address?: string) =>
      ask('resetPassword', { token, newPassword }, address),
    logIn: (email: string, password: string) => rest.post('/api/auth/login', { email, password }),
  };
}

const emailOf = () => `ana-${randomUUID()}@example.com`;

const REQUESTED = { data: { requestPasswordReset: { requested: true } } };

const reasonIn = ({ body }: Answer) => body.errors?.[0]?.extensions?.reason;

/** Somebody whose address is confirmed. */
async function confirmed({ newUser, catcher, ask }: Mailed) {
  const ana = await newUser({ email: emailOf() });
  const token = await catcher.secretFor(ana.account.email, 'confirm');
  expect((await ask('confirmEmail', { token })).body.data.confirmEmail.user.id).toBe(ana.id);
  return ana;
}

/** The secret of the next reset link; `count` mails are there by then. */
async function resetLinkFor({ forgets, catcher }: Mailed, email: string, count: number) {
  expect((await forgets(email)).body).toEqual(REQUESTED);
  return catcher.secretFor(email, 'reset', count);
}

const changesEmail = (ana: TestUser, email: string) => ana.rest.put('/api/user/profile', { email });

const statusOf = async ({ rest }: TestUser) => (await rest.get('/api/user/profile')).status;

describe('A reset by mail', () => {
  it('sets a password, ends every session and API token, logs nobody in, and is told', async () => {
    const here = await mailed();
    const ana = await confirmed(here);
    const { email, password } = ana.account;
    const { createApiToken } = await ana.query(
      'mutation { createApiToken(input: { name: "a", scopes: [READ] }) { token } }',
    );
    await here.forgets(email.toUpperCase());
    const token = await here.catcher.secretFor(email, 'reset', 2);
    expect((await here.resets(token)).body).toEqual({ data: { resetPassword: { email } } });
    expect(await statusOf(ana)).toBe(401);
    expect((await here.rest.as(createApiToken.token).get('/api/tasks/me')).status).toBe(401);
    expect((await here.logIn(email, password)).status).toBe(401);
    expect((await here.logIn(email, 'secret2')).status).toBe(200);
    const subjects = (await here.catcher.mailsTo(email, 3)).map(({ subject }) => subject);
    expect(subjects.at(-1)).toBe('Your password was changed');
  });

  it('proves the address that the link came to', async () => {
    const here = await mailed();
    const { account } = await here.newUser({ email: emailOf() });
    await here.resets(await resetLinkFor(here, account.email, 2));
    const { body } = await here.logIn(account.email, 'secret2');
    const { data } = (
      await here.rest.as(body.token).post('/graphql', { query: '{ me { emailConfirmedAt } }' })
    ).body;
    expect(data.me.emailConfirmedAt).toBe(here.clock.now().toISOString());
  });

  it('works once, for an hour, and until a newer one is sent; looking at the link changes nothing', async () => {
    const here = await mailed();
    const { account } = await here.newUser({ email: emailOf() });
    const older = await resetLinkFor(here, account.email, 2);
    const newer = await resetLinkFor(here, account.email, 3);
    expect(reasonIn(await here.resets(older))).toBe('LINK_INVALID');
    await here.rest.get(`/?scanned#reset=${newer}`);
    expect((await here.resets(newer)).body.errors).toBeUndefined();
    expect(reasonIn(await here.resets(newer))).toBe('LINK_INVALID');
    const late = await resetLinkFor(here, account.email, 5);
    here.clock.advance({ hours: 1 });
    expect(reasonIn(await here.resets(late))).toBe('LINK_INVALID');
  });

  it('is used by one of two who try at once', async () => {
    const here = await mailed();
    const { account } = await here.newUser({ email: emailOf() });
    const token = await resetLinkFor(here, account.email, 2);
    const answers = await Promise.all(['secret2', 'secret3'].map((password) => here.resets(token, password)));
    expect(answers.map(reasonIn).sort()).toEqual(['LINK_INVALID', undefined]);
  });

  it('knows its secret to the letter, and for its own purpose only', async () => {
    const here = await mailed();
    const { account } = await here.newUser({ email: emailOf() });
    const confirm = await here.catcher.secretFor(account.email, 'confirm');
    const token = await resetLinkFor(here, account.email, 2);
    const at = /[a-z]/i.exec(token)?.index ?? 0;
    const letter = token.charAt(at);
    const swapped = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
    const wrong = [
      `${token.slice(0, at)}${swapped}${token.slice(at + 1)}`,
      `${token} `,
      `${token}A`,
      '',
      confirm,
    ];
    for (const each of wrong) expect(reasonIn(await here.resets(each)), each).toBe('LINK_INVALID');
    expect(reasonIn(await here.ask('confirmEmail', { token }))).toBe('LINK_INVALID');
    expect(reasonIn(await here.ask('undoEmailChange', { token }))).toBe('LINK_INVALID');
    expect(reasonIn(await here.resets(token, 'short'))).toBe('INVALID_INPUT');
    expect((await here.resets(token)).body.errors).toBeUndefined();
  });

  it('cannot be guessed: what is not found counts like a failed log-in', async () => {
    const here = await mailed();
    const address = newAddress();
    const reasons: unknown[] = [];
    for (let attempt = 1; attempt <= 6; attempt += 1)
      reasons.push(reasonIn(await here.resets(randomUUID(), 'secret2', address)));
    expect(reasons).toEqual([...Array(5).fill('LINK_INVALID'), 'TOO_MANY_ATTEMPTS']);
    const { account } = await here.newUser({ email: emailOf() });
    const token = await resetLinkFor(here, account.email, 2);
    const { body } = await here.resets(token, 'secret2', address); // who guesses keeps no other from getting in
    expect(body).toEqual({ data: { resetPassword: { email: account.email } } });
  });

  it('ends with the address that it was sent to, and when the password is changed', async () => {
    const here = await mailed();
    const ana = await here.newUser({ email: emailOf() });
    const token = await resetLinkFor(here, ana.account.email, 2);
    await ana.rest.put('/api/user/profile', { newPassword: 'secret3' });
    expect(reasonIn(await here.resets(token))).toBe('LINK_INVALID');
    const other = await resetLinkFor(here, ana.account.email, 3);
    await changesEmail(ana, emailOf());
    expect(reasonIn(await here.resets(other))).toBe('LINK_INVALID');
  });
});

describe('Whoever asks for a reset', () => {
  it('is answered the same, and nothing is sent, where there is no such account', async () => {
    const here = await mailed();
    const { account } = await here.newUser({ email: emailOf() });
    const unknown = emailOf();
    const [one, other] = [await here.forgets(unknown), await here.forgets(account.email)];
    expect(one.body).toEqual(REQUESTED);
    expect([one.status, one.text]).toEqual([other.status, other.text]);
    await here.catcher.mailsTo(account.email, 2);
    expect(here.catcher.caught.map(({ to }) => to)).not.toContainEqual([unknown]);
  });

  it('fills no row with what is too long to be an address', async () => {
    const here = await mailed();
    await here.catcher.stop();
    expect((await here.forgets(`${'a'.repeat(100_000)}@example.com`)).body).toEqual(REQUESTED);
    expect(await mailsWaiting(here.database)).toBe(0);
    await here.forgets(emailOf());
    expect(await mailsWaiting(here.database)).toBe(1);
  });

  it('makes us send three mails an hour to an account, whatever network they ask from', async () => {
    const here = await mailed();
    const { account } = await here.newUser({ email: emailOf() });
    for (let each = 1; each <= 5; each += 1)
      expect((await here.forgets(each % 2 ? account.email : account.email.toUpperCase())).body).toEqual(
        REQUESTED,
      );
    await here.catcher.mailsTo(account.email, 4);
    const last = emailOf();
    await here.newUser({ email: last });
    await here.catcher.mailsTo(last);
    expect(await here.catcher.mailsTo(account.email)).toHaveLength(4); // with the one to confirm
    here.clock.advance({ hours: 1 });
    await here.forgets(account.email);
    await here.catcher.mailsTo(account.email, 5);
  });

  it('makes us send twenty an hour from one network, over all accounts', async () => {
    const here = await mailed();
    const address = newAddress();
    const emails = Array.from({ length: 22 }, emailOf);
    for (const [index, email] of emails.entries())
      await here.rest.post(
        '/api/auth/signup',
        { name: 'Ana', email, password: 'secret1' },
        { 'X-Forwarded-For': `10.99.${index}.1` },
      );
    for (const email of emails) await here.catcher.mailsTo(email);
    for (const email of emails) expect((await here.forgets(email, address)).body).toEqual(REQUESTED);
    for (const email of emails.slice(0, 20)) await here.catcher.mailsTo(email, 2);
    await here.forgets(emails[21] as string);
    await here.catcher.mailsTo(emails[21] as string, 2);
    expect(await here.catcher.mailsTo(emails[20] as string)).toHaveLength(1);
  });
});

describe('A printed link', () => {
  it.each([true, false])('opens an account for a day, with mail and without: %s', async (withMail) => {
    const here = withMail ? await mailed() : { ...(await world()) };
    const { resets, logIn } = strangerTo(here);
    const { account } = await here.newUser({ email: emailOf() });
    const print = async () => {
      const given = { email: account.email, publicUrl: PUBLIC_URL };
      const { link } = await printedResetLink(here.database, here.clock, given);
      expect(link).toMatch(/^https:\/\/habits\.example\.com\/app\/#reset=[\w-]{43}$/);
      return link.split('=')[1] ?? '';
    };
    const [older, newer] = [await print(), await print()];
    here.clock.advance({ hours: 23 });
    expect(reasonIn(await resets(older))).toBe('LINK_INVALID');
    expect((await resets(newer)).body.data.resetPassword).toEqual({ email: account.email });
    expect((await logIn(account.email, 'secret2')).status).toBe(200);
    const late = await print();
    here.clock.advance({ hours: 24 });
    expect(reasonIn(await resets(late))).toBe('LINK_INVALID');
  });

  it('ends, as one by mail does, when the operator sets a password', async () => {
    const here = await mailed();
    const { account } = await here.newUser({ email: emailOf() });
    const { email } = account;
    const { link } = await printedResetLink(here.database, here.clock, { email, publicUrl: PUBLIC_URL });
    const mailedToken = await resetLinkFor(here, email, 2);
    const passwords = new Passwords({ hashThreads: 1, hashCost: 4 });
    onTestFinished(() => passwords.close());
    const password = await new AdministrationService(here.database, here.clock, passwords).resetPassword(
      email,
    );
    for (const token of [mailedToken, link.split('=')[1] ?? ''])
      expect(reasonIn(await here.resets(token))).toBe('LINK_INVALID');
    expect((await here.logIn(email, password)).status).toBe(200);
  });

  it('stays good when a stranger asks for a reset by mail', async () => {
    const here = await mailed();
    const { account } = await here.newUser({ email: emailOf() });
    const given = { email: account.email, publicUrl: PUBLIC_URL };
    const { link } = await printedResetLink(here.database, here.clock, given);
    await resetLinkFor(here, account.email, 2);
    expect((await here.resets(link.split('=')[1] ?? '')).body.errors).toBeUndefined();
  });
});

describe('An address', () => {
  const confirmedAt = async (ana: TestUser) =>
    (await ana.query('{ me { emailConfirmedAt } }')).me.emailConfirmedAt;

  it('is confirmed by its link, once, on any device; another case of letters stays confirmed', async () => {
    const here = await mailed();
    const ana = await here.newUser({ email: emailOf() });
    expect(await confirmedAt(ana)).toBeNull();
    const token = await here.catcher.secretFor(ana.account.email, 'confirm');
    const { data } = (await here.ask('confirmEmail', { token })).body;
    expect(data.confirmEmail.user).toEqual({
      id: ana.id,
      email: ana.account.email,
      emailConfirmedAt: here.clock.now().toISOString(),
    });
    expect(reasonIn(await here.ask('confirmEmail', { token }))).toBe('LINK_INVALID');
    await changesEmail(ana, ana.account.email.toUpperCase());
    expect(await confirmedAt(ana)).not.toBeNull();
    await changesEmail(ana, emailOf());
    expect(await confirmedAt(ana)).toBeNull();
  });

  it('that is confirmed is a change, which other devices and programs hear of', async () => {
    const here = await mailed();
    const ana = await here.newUser({ email: emailOf() });
    await withFeed(ana);
    await here.ask('confirmEmail', { token: await here.catcher.secretFor(ana.account.email, 'confirm') });
    expect((await eventsOf(ana)).map(({ kind }) => kind)).toEqual(['PROFILE_CHANGED']);
  });

  it('that its link has confirmed is said to be so while the link would be good, and of no other', async () => {
    const here = await mailed();
    const ana = await here.newUser({ email: emailOf() });
    const token = await here.catcher.secretFor(ana.account.email, 'confirm');
    const tells = async () => (await here.ask('confirmEmail', { token })).body.errors?.[0]?.extensions;
    const both = await Promise.all([tells(), tells()]);
    const done = { code: 'BAD_USER_INPUT', reason: 'LINK_INVALID', outcome: 'APPLIED' };
    expect(both.filter((each) => each !== undefined)).toEqual([done]);
    for (let each = 1; each <= 6; each += 1) expect(await tells()).toEqual(done); // it is no guess
    const { outcome: _, ...over } = { ...done, fields: [expect.objectContaining({ name: 'token' })] };
    here.clock.advance({ hours: 24 });
    expect(await tells()).toEqual(over);
    here.clock.reset();
    await changesEmail(ana, emailOf());
    expect(await tells()).toEqual(over);
  });

  it('is sent another link on request, at most three an hour, and none once it is confirmed', async () => {
    const here = await mailed();
    const ana = await here.newUser({ email: emailOf() });
    const asks = () => ana.query('mutation { requestEmailConfirmation { requested } }');
    for (let each = 1; each <= 4; each += 1)
      expect(await asks()).toEqual({ requestEmailConfirmation: { requested: true } });
    const token = await here.catcher.secretFor(ana.account.email, 'confirm', 3);
    await here.ask('confirmEmail', { token });
    here.clock.advance({ hours: 1 });
    await asks();
    const other = emailOf();
    await here.newUser({ email: other });
    await here.catcher.mailsTo(other);
    expect(await here.catcher.mailsTo(ana.account.email)).toHaveLength(3);
  });

  it('that is not confirmed is mailed nothing else: neither a changed password nor a changed address', async () => {
    const here = await mailed();
    const ana = await here.newUser({ email: emailOf() });
    await here.catcher.mailsTo(ana.account.email);
    await ana.rest.put('/api/user/profile', { newPassword: 'secret2' });
    const next = emailOf();
    await changesEmail(ana, next);
    await here.catcher.mailsTo(next);
    expect(await here.catcher.mailsTo(ana.account.email)).toHaveLength(1);
  });
});

describe('A changed address', () => {
  it('is told to the old one, whose link takes all of it back', async () => {
    const here = await mailed();
    const ana = await confirmed(here);
    const { email } = ana.account;
    const thief = emailOf();
    await changesEmail(ana, thief);
    const told = await here.catcher.secretFor(email, 'undo-email', 2);
    // What the thief does meanwhile: proves the new address, asks for a link, takes another password and another address.
    await here.ask('confirmEmail', { token: await here.catcher.secretFor(thief, 'confirm') });
    const { createApiToken } = await ana.query(
      'mutation { createApiToken(input: { name: "a", scopes: [READ] }) { token } }',
    );
    await ana.rest.put('/api/user/profile', { newPassword: 'stolen' });
    const second = emailOf();
    await changesEmail(ana, second);
    const theirUndo = await here.catcher.secretFor(thief, 'undo-email', 3);
    const theirReset = await resetLinkFor(here, second, 2);

    here.clock.advance({ hours: 71 });
    const { body } = await here.ask('undoEmailChange', { token: told });
    expect(body).toEqual({ data: { undoEmailChange: { email } } });
    expect(await statusOf(ana)).toBe(401);
    expect((await here.rest.as(createApiToken.token).get('/api/tasks/me')).status).toBe(401);
    for (const password of ['stolen', ana.account.password])
      expect((await here.logIn(email, password)).status).toBe(401);
    expect(reasonIn(await here.ask('undoEmailChange', { token: theirUndo }))).toBe('LINK_INVALID');
    expect(reasonIn(await here.resets(theirReset))).toBe('LINK_INVALID');
    expect(reasonIn(await here.ask('undoEmailChange', { token: told }))).toBe('LINK_INVALID');
    const [, , mail] = await here.catcher.mailsTo(email, 3);
    const { subject, news, advice } = mailTexts.EN.firstPassword; // none is left that could stay as it is
    expect(mail?.subject).toBe(subject);
    for (const words of [news, advice]) expect(mail?.text).toContain(words);
    const count = (await here.catcher.mailsTo(email)).length;
    await here.resets(await resetLinkFor(here, email, count + 1));
    expect((await here.logIn(email, 'secret2')).status).toBe(200);
  });

  it('can be taken back for 72 hours, and nobody else takes the old one in that time', async () => {
    const here = await mailed();
    const ana = await confirmed(here);
    const { email } = ana.account;
    await changesEmail(ana, emailOf());
    const token = await here.catcher.secretFor(email, 'undo-email', 2);
    const taken = { name: 'Eve', email: email.toUpperCase(), password: 'secret1' };
    expect(await here.rest.post('/api/auth/signup', taken)).toMatchObject({
      status: 400,
      body: { error: 'Email already in use' },
    });
    const eve = await here.newUser();
    expect((await changesEmail(eve, email)).status).toBe(400);
    here.clock.advance({ hours: 72 });
    expect(reasonIn(await here.ask('undoEmailChange', { token }))).toBe('LINK_INVALID');
    expect((await here.rest.post('/api/auth/signup', taken)).status).toBe(201);
  });
});

describe('A changed password', () => {
  it('is told to the address that the account had before, three times an hour at most', async () => {
    const here = await mailed();
    const ana = await confirmed(here);
    for (let each = 1; each <= 5; each += 1)
      await ana.rest.put('/api/user/profile', { newPassword: `secret${each}` });
    await ana.rest.put('/api/user/profile', { name: 'Anna' });
    const other = emailOf();
    await here.newUser({ email: other });
    await here.catcher.mailsTo(other);
    await eventually(async () => (await here.catcher.mailsTo(ana.account.email)).length === 4);
  });
});
