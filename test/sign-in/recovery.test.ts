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
import { inOtherCase } from './other-case.js';

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
  const confirms = async (to = email) =>
    stranger.ask('confirmEmail', { token: await catcher.secretFor(to, 'confirm') });
  /** All that was to be mailed until now. */
  const allSent = async () => catcher.mailsTo((await here.newUser()).account.email);
  return { ...here, ...stranger, catcher, ana, email, resetLink, confirms, allSent };
}

function strangerTo({ rest, database, clock }: Pick<World, 'rest' | 'database' | 'clock'>) {
  const ask = (name: keyof typeof DOCUMENTS, variables: object, address = newAddress()) =>
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
const SCRIPT = 'mutation { createApiToken(input: { name: "a", scopes: [READ, PROFILE] }) { token } }';

const reasonIn = ({ body }: Answer) => body.errors?.[0]?.extensions?.reason;

const changes = ({ rest }: TestUser, profile: object) => rest.put('/api/user/profile', profile);

const confirmedAt = async (ana: Pick<TestUser, 'rest'>) =>
  (await ana.rest.ask('{ me { emailConfirmedAt } }')).data.me.emailConfirmedAt;

/** The statuses that these tokens get. */
const statusesOf = async ({ rest }: World, ...tokens: string[]) =>
  (await Promise.all(tokens.map((token) => rest.as(token).get('/api/user/profile')))).map(
    ({ status }) => status,
  );

describe('A reset by mail', () => {
  it('sets a password, ends every session and API token, logs nobody in, proves the address, and is told', async () => {
    const { email, ana, forgets, catcher, resets, logIn, clock, ...here } = await mailed();
    const { token: script } = (await ana.query(SCRIPT)).createApiToken;
    await forgets(email.toUpperCase());
    const token = await catcher.secretFor(email, 'reset', 2);
    expect((await resets(token)).body).toEqual({ data: { resetPassword: { email } } });
    expect(await statusesOf({ ...here, clock }, ana.token, script)).toEqual([401, 401]);
    expect((await logIn(email, ana.account.password)).status).toBe(401);
    const { body } = await logIn(email, 'secret2');
    expect(await confirmedAt({ rest: here.rest.as(body.token) })).toBe(clock.now().toISOString());
    const [, , told] = await catcher.mailsTo(email, 3);
    expect(told?.subject).toBe('Your password was changed');
  });

  it('works once, for an hour, until a newer one is sent, by one of two who try at once', async () => {
    const { resetLink, resets, clock } = await mailed();
    const [older, newer] = [await resetLink(2), await resetLink(3)];
    expect(reasonIn(await resets(older))).toBe('LINK_INVALID');
    const answers = await Promise.all(['secret2', 'secret3'].map((password) => resets(newer, password)));
    expect(answers.map(reasonIn).sort()).toEqual(['LINK_INVALID', undefined]);
    const late = await resetLink(5);
    clock.advance({ hours: 1 });
    expect(reasonIn(await resets(late))).toBe('LINK_INVALID');
  });

  it('ends with the address that it was sent to, and when the password is changed', async () => {
    const { ana, resetLink, resets } = await mailed();
    for (const [mails, change] of [
      [2, { newPassword: 'secret3' }],
      [3, { email: emailOf() }],
    ] as const) {
      const token = await resetLink(mails);
      await changes(ana, change);
      expect(reasonIn(await resets(token))).toBe('LINK_INVALID');
    }
  });

  it('knows its secret to the letter, for its own purpose only; a wrong one counts like a failed log-in, and keeps no other out', async () => {
    const { email, catcher, resetLink, resets, ask } = await mailed();
    const confirm = await catcher.secretFor(email, 'confirm');
    const token = await resetLink(2);
    for (const each of [inOtherCase(token), `${token} `, `${token}A`, '', confirm])
      expect(reasonIn(await resets(each)), each).toBe('LINK_INVALID');
    expect(reasonIn(await ask('confirmEmail', { token }))).toBe('LINK_INVALID');
    expect(reasonIn(await ask('undoEmailChange', { token }))).toBe('LINK_INVALID');
    expect(reasonIn(await resets(token, 'short'))).toBe('INVALID_INPUT');
    const address = newAddress();
    for (const _ of [1, 2, 3, 4, 5])
      expect(reasonIn(await resets(randomUUID(), 'secret2', address))).toBe('LINK_INVALID');
    expect(reasonIn(await resets(randomUUID(), 'secret2', address))).toBe('TOO_MANY_ATTEMPTS');
    expect((await resets(token, 'secret2', address)).body).toEqual({ data: { resetPassword: { email } } });
  });
});

describe('Whoever asks for a reset', () => {
  it('is answered the same where there is no such account, and makes us send three mails an hour to one that there is', async () => {
    const { email, forgets, catcher, allSent, clock } = await mailed();
    const unknown = emailOf();
    const { status, text } = await forgets(unknown);
    for (const to of [email, email.toUpperCase(), email, email, email])
      expect(await forgets(to)).toMatchObject({ status, text, body: REQUESTED });
    await catcher.mailsTo(email, 4);
    await allSent();
    expect(await catcher.mailsTo(email)).toHaveLength(4); // with the one to confirm
    expect(catcher.caught.map(({ to }) => to)).not.toContainEqual([unknown]);
    clock.advance({ hours: 1 });
    await forgets(email);
    await catcher.mailsTo(email, 5);
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
    const password = await new AdministrationService(database, clock, passwords).resetPassword(email);
    for (const token of next) expect(reasonIn(await resets(token))).toBe('LINK_INVALID');
    expect((await logIn(email, password)).status).toBe(200);
  });
});

describe('An address', () => {
  it('is confirmed by its link, once, on any device; that it was is said while the link would be good, and of no other', async () => {
    const { email, ana, catcher, clock, ask } = await mailed();
    await withFeed(ana);
    const token = await catcher.secretFor(email, 'confirm');
    const emailConfirmedAt = clock.now().toISOString();
    const answers = await Promise.all([1, 2].map(() => ask('confirmEmail', { token })));
    const user = { id: ana.id, email, emailConfirmedAt };
    expect(answers.flatMap(({ body }) => body.data?.confirmEmail ?? [])).toEqual([{ user }]);
    expect((await eventsOf(ana)).map(({ kind }) => kind)).toEqual(['PROFILE_CHANGED']);
    const tells = async () => (await ask('confirmEmail', { token })).body.errors?.[0]?.extensions;
    const over = { code: 'BAD_USER_INPUT', reason: 'LINK_INVALID' };
    for (let each = 1; each <= 6; each += 1) expect(await tells()).toEqual({ ...over, outcome: 'APPLIED' }); // it is no guess
    clock.advance({ hours: 24 });
    const fields = [expect.objectContaining({ name: 'token' })];
    expect(await tells()).toEqual({ ...over, fields });
    clock.reset();
    await changes(ana, { email: email.toUpperCase() });
    expect(await confirmedAt(ana)).not.toBeNull();
    await changes(ana, { email: emailOf() });
    expect(await confirmedAt(ana)).toBeNull();
    expect(await tells()).toEqual({ ...over, fields });
  });

  it('is sent another link on request, at most three an hour, and none once it is confirmed', async () => {
    const { email, ana, catcher, confirms, clock, allSent } = await mailed();
    const asks = () => ana.query('mutation { requestEmailConfirmation { requested } }');
    for (let each = 1; each <= 4; each += 1)
      expect(await asks()).toEqual({ requestEmailConfirmation: { requested: true } });
    await catcher.mailsTo(email, 3);
    await confirms();
    clock.advance({ hours: 1 });
    await asks();
    await allSent();
    expect(await catcher.mailsTo(email)).toHaveLength(3);
  });

  it('that is not confirmed is mailed nothing else: neither a changed password nor a changed address', async () => {
    const { email, ana, catcher } = await mailed();
    await catcher.mailsTo(email);
    await changes(ana, { newPassword: 'secret2' });
    const next = emailOf();
    await changes(ana, { email: next });
    await catcher.mailsTo(next);
    expect(await catcher.mailsTo(email)).toHaveLength(1);
  });

  it('is told of changed passwords, three times an hour at most', async () => {
    const { email, ana, confirms, allSent, catcher } = await mailed();
    await confirms();
    for (let each = 1; each <= 5; each += 1) await changes(ana, { newPassword: `secret${each}` });
    await changes(ana, { name: 'Anna' });
    await allSent();
    await eventually(async () => (await catcher.mailsTo(email)).length === 4);
  });
});

describe('A changed address', () => {
  it('is told to the old one, whose link takes all of it back', async () => {
    const { email, ana, confirms, catcher, ask, resetLink, logIn, resets, ...here } = await mailed();
    await confirms();
    const thief = emailOf();
    await changes(ana, { email: thief });
    const told = await catcher.secretFor(email, 'undo-email', 2);
    // What the thief does meanwhile: proves the new address, asks for a link, takes another password and another address.
    await confirms(thief);
    const { token: script } = (await ana.query(SCRIPT)).createApiToken;
    await changes(ana, { newPassword: 'stolen' });
    const second = emailOf();
    await changes(ana, { email: second });
    const theirUndo = await catcher.secretFor(thief, 'undo-email', 3);
    const theirReset = await resetLink(2, second);

    here.clock.advance({ hours: 71 });
    const { body } = await ask('undoEmailChange', { token: told });
    expect(body).toEqual({ data: { undoEmailChange: { email } } });
    expect(await statusesOf(here, ana.token, script)).toEqual([401, 401]);
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
    await changes(ana, { email: emailOf() });
    const token = await catcher.secretFor(email, 'undo-email', 2);
    const eve = { name: 'Eve', email: email.toUpperCase(), password: 'secret1' };
    const taken = { status: 400, body: { error: 'Email already in use' } };
    expect(await rest.post('/api/auth/signup', eve)).toMatchObject(taken);
    expect(await changes(await newUser(), { email })).toMatchObject(taken);
    clock.advance({ hours: 72 });
    expect(reasonIn(await ask('undoEmailChange', { token }))).toBe('LINK_INVALID');
    expect((await rest.post('/api/auth/signup', eve)).status).toBe(201);
  });
});
