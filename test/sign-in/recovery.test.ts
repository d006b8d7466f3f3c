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
import { type Answer, TestUser, type World, world } from '../support/world.js';

const newAddress = () => `10.${Math.ceil(Math.random() * 250)}.${Math.ceil(Math.random() * 250)}.7`;

/** Ana at a service with mail and a database of its own, and what strangers can ask it. */
async function mailed() {
  const catcher = await mailCatcher();
  const config = { ...configWithMail(catcher), loginAttemptsPerAccount: 5 };
  const here = await world({ database: await ownDatabase(), config });
  const ana = await here.newUser();
  const { email } = ana.account;
  const stranger = strangerTo(here);
  /** The secret of the next reset link; `count` mails are there by then. */
  const resetLink = async (count: number, to = email) => {
    expect((await stranger.forgets(to)).body).toEqual(REQUESTED);
    return catcher.secretFor(to, 'reset', count);
  };
  const confirms = async (to = email) => {
    const { body } = await stranger.ask('confirmEmail', { token: await catcher.secretFor(to, 'confirm') });
    expect(body.data.confirmEmail.user.id).toBe(ana.id);
  };
  /** All that was to be mailed until now. */
  const allSent = async () => catcher.mailsTo((await here.newUser()).account.email);
  return { ...here, ...stranger, catcher, ana, email, resetLink, confirms, allSent };
}

function strangerTo({ rest, database, clock }: Pick<World, 'rest' | 'database' | 'clock'>) {
  const ask = (name: keyof typeof DOCUMENTS, variables: Record<string, unknown>, address = newAddress()) =>
    rest.post('/graphql', { query: DOCUMENTS[name], variables }, { 'X-Forwarded-For': address });
  /** The secret of a link of the operator's. */
  const prints = async (email: string) => {
    const { link } = await printedResetLink(database, clock, { email, publicUrl: PUBLIC_URL });
    expect(link).toMatch(/^https:\/\/habits\.example\.com\/app\/#reset=[\w-]{43}$/);
    return link.split('=')[1] ?? '';
  };
  return {
    ask,
    prints,
    forgets: (email: string, address?: string) => ask('requestPasswordReset', { email }, address),
    resets: (token: string, newPassword = 'secret2', address?: string) =>
      ask('resetPassword', { token, newPassword }, address),
    logIn: (email: string, password: string) => rest.post('/api/auth/login', { email, password }),
  };
}

const emailOf = () => `ana-${randomUUID()}@example.com`;

const REQUESTED = { data: { requestPasswordReset: { requested: true } } };

const reasonIn = ({ body }: Answer) => body.errors?.[0]?.extensions?.reason;

const changesEmail = (ana: TestUser, email: string) => ana.rest.put('/api/user/profile', { email });

const statusOf = async ({ rest }: TestUser) => (await rest.get('/api/user/profile')).status;

const confirmedAt = async (ana: TestUser) =>
  (await ana.query('{ me { emailConfirmedAt } }')).me.emailConfirmedAt;

describe('A reset by mail', () => {
  it('sets a password, ends every session and API token, logs nobody in, proves the address, and is told', async () => {
    const { email, ana, forgets, catcher, resets, rest, logIn, base, clock } = await mailed();
    const { password } = ana.account;
    const { createApiToken } = await ana.query(
      'mutation { createApiToken(input: { name: "a", scopes: [READ] }) { token } }',
    );
    await forgets(email.toUpperCase());
    const token = await catcher.secretFor(email, 'reset', 2);
    expect((await resets(token)).body).toEqual({ data: { resetPassword: { email } } });
    expect(await statusOf(ana)).toBe(401);
    expect((await rest.as(createApiToken.token).get('/api/tasks/me')).status).toBe(401);
    expect((await logIn(email, password)).status).toBe(401);
    const { body } = await logIn(email, 'secret2');
    const again = new TestUser(base, body.token, ana.account);
    expect(await confirmedAt(again)).toBe(clock.now().toISOString());
    const subjects = (await catcher.mailsTo(email, 3)).map(({ subject }) => subject);
    expect(subjects.at(-1)).toBe('Your password was changed');
  });

  it('works once, for an hour, and until a newer one is sent', async () => {
    const { resetLink, resets, clock } = await mailed();
    const older = await resetLink(2);
    const newer = await resetLink(3);
    expect(reasonIn(await resets(older))).toBe('LINK_INVALID');
    expect((await resets(newer)).body.errors).toBeUndefined();
    expect(reasonIn(await resets(newer))).toBe('LINK_INVALID');
    const late = await resetLink(5);
    clock.advance({ hours: 1 });
    expect(reasonIn(await resets(late))).toBe('LINK_INVALID');
  });

  it('is used by one of two who try at once', async () => {
    const { resetLink, resets } = await mailed();
    const token = await resetLink(2);
    const answers = await Promise.all(['secret2', 'secret3'].map((password) => resets(token, password)));
    expect(answers.map(reasonIn).sort()).toEqual(['LINK_INVALID', undefined]);
  });

  it('knows its secret to the letter, and for its own purpose only', async () => {
    const { email, catcher, resetLink, resets, ask } = await mailed();
    const confirm = await catcher.secretFor(email, 'confirm');
    const token = await resetLink(2);
    const swapped = token.replace(/[a-z]/i, (letter) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    );
    const wrong = [swapped, `${token} `, `${token}A`, '', confirm];
    for (const each of wrong) expect(reasonIn(await resets(each)), each).toBe('LINK_INVALID');
    expect(reasonIn(await ask('confirmEmail', { token }))).toBe('LINK_INVALID');
    expect(reasonIn(await ask('undoEmailChange', { token }))).toBe('LINK_INVALID');
    expect(reasonIn(await resets(token, 'short'))).toBe('INVALID_INPUT');
    expect((await resets(token)).body.errors).toBeUndefined();
  });

  it('cannot be guessed: what is not found counts like a failed log-in', async () => {
    const { email, resets, resetLink } = await mailed();
    const address = newAddress();
    const reasons: unknown[] = [];
    for (let attempt = 1; attempt <= 6; attempt += 1)
      reasons.push(reasonIn(await resets(randomUUID(), 'secret2', address)));
    expect(reasons).toEqual([...Array(5).fill('LINK_INVALID'), 'TOO_MANY_ATTEMPTS']);
    const token = await resetLink(2);
    const { body } = await resets(token, 'secret2', address); // who guesses keeps no other from getting in
    expect(body).toEqual({ data: { resetPassword: { email } } });
  });

  it('ends with the address that it was sent to, and when the password is changed', async () => {
    const { ana, resetLink, resets } = await mailed();
    const token = await resetLink(2);
    await ana.rest.put('/api/user/profile', { newPassword: 'secret3' });
    expect(reasonIn(await resets(token))).toBe('LINK_INVALID');
    const other = await resetLink(3);
    await changesEmail(ana, emailOf());
    expect(reasonIn(await resets(other))).toBe('LINK_INVALID');
  });
});

describe('Whoever asks for a reset', () => {
  it('is answered the same, and nothing is sent, where there is no such account', async () => {
    const { email, forgets, catcher } = await mailed();
    const unknown = emailOf();
    const [one, other] = [await forgets(unknown), await forgets(email)];
    expect(one.body).toEqual(REQUESTED);
    expect([one.status, one.text]).toEqual([other.status, other.text]);
    await catcher.mailsTo(email, 2);
    expect(catcher.caught.map(({ to }) => to)).not.toContainEqual([unknown]);
  });

  it('fills no row with what is too long to be an address, and twenty an hour from one network', async () => {
    const { catcher, database, forgets } = await mailed();
    const waiting = () => mailsWaiting(database);
    await eventually(async () => (await waiting()) === 0);
    await catcher.stop();
    expect((await forgets(`${'a'.repeat(100_000)}@example.com`)).body).toEqual(REQUESTED);
    expect(await waiting()).toBe(0);
    const address = newAddress();
    for (let each = 1; each <= 22; each += 1)
      expect((await forgets(emailOf(), address)).body).toEqual(REQUESTED);
    expect(await waiting()).toBe(20);
    await forgets(emailOf());
    expect(await waiting()).toBe(21);
  });

  it('makes us send three mails an hour to an account, whatever network they ask from', async () => {
    const { email, forgets, catcher, allSent, clock } = await mailed();
    for (let each = 1; each <= 5; each += 1)
      expect((await forgets(each % 2 ? email : email.toUpperCase())).body).toEqual(REQUESTED);
    await catcher.mailsTo(email, 4);
    await allSent();
    expect(await catcher.mailsTo(email)).toHaveLength(4); // with the one to confirm
    clock.advance({ hours: 1 });
    await forgets(email);
    await catcher.mailsTo(email, 5);
  });
});

describe('A printed link', () => {
  it('opens an account for a day, also where no mail is sent', async () => {
    const here = await world();
    const { resets, logIn, prints } = strangerTo(here);
    const { email } = (await here.newUser()).account;
    const [older, newer] = [await prints(email), await prints(email)];
    here.clock.advance({ hours: 23 });
    expect(reasonIn(await resets(older))).toBe('LINK_INVALID');
    expect((await resets(newer)).body.data.resetPassword).toEqual({ email });
    expect((await logIn(email, 'secret2')).status).toBe(200);
    const late = await prints(email);
    here.clock.advance({ hours: 24 });
    expect(reasonIn(await resets(late))).toBe('LINK_INVALID');
  });

  it('stays good when a stranger asks for a reset by mail, and ends, as that does, when the operator sets a password', async () => {
    const { email, resetLink, resets, database, clock, logIn, prints } = await mailed();
    const printed = await prints(email);
    await resetLink(2);
    expect((await resets(printed)).body.errors).toBeUndefined();
    const next = [await prints(email), await resetLink(3)];
    const passwords = new Passwords({ hashThreads: 1, hashCost: 4 });
    onTestFinished(() => passwords.close());
    const office = new AdministrationService(database, clock, passwords);
    const password = await office.resetPassword(email);
    for (const token of next) expect(reasonIn(await resets(token))).toBe('LINK_INVALID');
    expect((await logIn(email, password)).status).toBe(200);
  });
});

describe('An address', () => {
  it('is confirmed by its link, once, on any device; another case of letters stays confirmed', async () => {
    const { email, ana, catcher, clock, ask } = await mailed();
    expect(await confirmedAt(ana)).toBeNull();
    await withFeed(ana);
    const token = await catcher.secretFor(email, 'confirm');
    const emailConfirmedAt = clock.now().toISOString();
    const { data } = (await ask('confirmEmail', { token })).body;
    expect(data.confirmEmail.user).toEqual({ id: ana.id, email, emailConfirmedAt });
    expect((await eventsOf(ana)).map(({ kind }) => kind)).toEqual(['PROFILE_CHANGED']);
    expect(reasonIn(await ask('confirmEmail', { token }))).toBe('LINK_INVALID');
    await changesEmail(ana, email.toUpperCase());
    expect(await confirmedAt(ana)).not.toBeNull();
    await changesEmail(ana, emailOf());
    expect(await confirmedAt(ana)).toBeNull();
  });

  it('that its link has confirmed is said to be so while the link would be good, and of no other', async () => {
    const { email, ana, catcher, ask, clock } = await mailed();
    const token = await catcher.secretFor(email, 'confirm');
    const tells = async () => (await ask('confirmEmail', { token })).body.errors?.[0]?.extensions;
    const both = await Promise.all([tells(), tells()]);
    const over = { code: 'BAD_USER_INPUT', reason: 'LINK_INVALID' };
    const done = { ...over, outcome: 'APPLIED' };
    expect(both.filter((each) => each !== undefined)).toEqual([done]);
    for (let each = 1; each <= 6; each += 1) expect(await tells()).toEqual(done); // it is no guess
    clock.advance({ hours: 24 });
    const fields = [expect.objectContaining({ name: 'token' })];
    expect(await tells()).toEqual({ ...over, fields });
    clock.reset();
    await changesEmail(ana, emailOf());
    expect(await tells()).toEqual({ ...over, fields });
  });

  it('is sent another link on request, at most three an hour, and none once it is confirmed', async () => {
    const { email, ana, catcher, ask, clock, allSent } = await mailed();
    const asks = () => ana.query('mutation { requestEmailConfirmation { requested } }');
    for (let each = 1; each <= 4; each += 1)
      expect(await asks()).toEqual({ requestEmailConfirmation: { requested: true } });
    const token = await catcher.secretFor(email, 'confirm', 3);
    await ask('confirmEmail', { token });
    clock.advance({ hours: 1 });
    await asks();
    await allSent();
    expect(await catcher.mailsTo(email)).toHaveLength(3);
  });

  it('that is not confirmed is mailed nothing else: neither a changed password nor a changed address', async () => {
    const { email, ana, catcher } = await mailed();
    await catcher.mailsTo(email);
    await ana.rest.put('/api/user/profile', { newPassword: 'secret2' });
    const next = emailOf();
    await changesEmail(ana, next);
    await catcher.mailsTo(next);
    expect(await catcher.mailsTo(email)).toHaveLength(1);
  });
});

describe('A changed address', () => {
  it('is told to the old one, whose link takes all of it back', async () => {
    const { email, ana, confirms, catcher, ask, resetLink, clock, rest, logIn, resets } = await mailed();
    await confirms();
    const thief = emailOf();
    await changesEmail(ana, thief);
    const told = await catcher.secretFor(email, 'undo-email', 2);
    // What the thief does meanwhile: proves the new address, asks for a link, takes another password and another address.
    await ask('confirmEmail', { token: await catcher.secretFor(thief, 'confirm') });
    const { createApiToken } = await ana.query(
      'mutation { createApiToken(input: { name: "a", scopes: [READ] }) { token } }',
    );
    await ana.rest.put('/api/user/profile', { newPassword: 'stolen' });
    const second = emailOf();
    await changesEmail(ana, second);
    const theirUndo = await catcher.secretFor(thief, 'undo-email', 3);
    const theirReset = await resetLink(2, second);

    clock.advance({ hours: 71 });
    const { body } = await ask('undoEmailChange', { token: told });
    expect(body).toEqual({ data: { undoEmailChange: { email } } });
    expect(await statusOf(ana)).toBe(401);
    expect((await rest.as(createApiToken.token).get('/api/tasks/me')).status).toBe(401);
    for (const password of ['stolen', ana.account.password])
      expect((await logIn(email, password)).status).toBe(401);
    for (const token of [theirUndo, told])
      expect(reasonIn(await ask('undoEmailChange', { token }))).toBe('LINK_INVALID');
    expect(reasonIn(await resets(theirReset))).toBe('LINK_INVALID');
    const [, , mail] = await catcher.mailsTo(email, 3);
    expect(mail?.subject).toBe(mailTexts.EN.firstPassword.subject); // none is left that could stay as it is
    const count = (await catcher.mailsTo(email)).length;
    await resets(await resetLink(count + 1));
    expect((await logIn(email, 'secret2')).status).toBe(200);
  });

  it('can be taken back for 72 hours, and nobody else takes the old one in that time', async () => {
    const { email, ana, confirms, catcher, rest, newUser, clock, ask } = await mailed();
    await confirms();
    await changesEmail(ana, emailOf());
    const token = await catcher.secretFor(email, 'undo-email', 2);
    const taken = { name: 'Eve', email: email.toUpperCase(), password: 'secret1' };
    expect(await rest.post('/api/auth/signup', taken)).toMatchObject({
      status: 400,
      body: { error: 'Email already in use' },
    });
    const eve = await newUser();
    expect((await changesEmail(eve, email)).status).toBe(400);
    clock.advance({ hours: 72 });
    expect(reasonIn(await ask('undoEmailChange', { token }))).toBe('LINK_INVALID');
    expect((await rest.post('/api/auth/signup', taken)).status).toBe(201);
  });
});

describe('A changed password', () => {
  it('is told to the address that the account had before, three times an hour at most', async () => {
    const { email, ana, confirms, allSent, catcher } = await mailed();
    await confirms();
    for (let each = 1; each <= 5; each += 1)
      await ana.rest.put('/api/user/profile', { newPassword: `secret${each}` });
    await ana.rest.put('/api/user/profile', { name: 'Anna' });
    await allSent();
    await eventually(async () => (await catcher.mailsTo(email)).length === 4);
  });
});
