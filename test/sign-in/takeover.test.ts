import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { countWaiting } from '../../src/mail/mail.queries.js';
import { configOf, freshDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { mailCatcher } from '../support/mail.js';
import { Browser, CLIENT_ID, CLIENT_SECRET, testProvider } from '../support/provider.js';
import { type TestUser, world } from '../support/world.js';

const PUBLIC_URL = 'https://habits.example.com';

/** A service with mail and a provider, and what somebody needs who wants to get into an account of another. */
async function besieged() {
  const [catcher, provider] = [
    await mailCatcher(),
    await testProvider({ redirectUris: [`${PUBLIC_URL}/auth/oidc/callback`] }),
  ];
  const database = await freshDatabase();
  onTestFinished(() => database.close());
  const config = configOf({
    SMTP_URL: `smtp://127.0.0.1:${catcher.port}`,
    MAIL_FROM: 'habits@example.com',
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: CLIENT_ID,
    OIDC_CLIENT_SECRET: CLIENT_SECRET,
    PUBLIC_URL,
  });
  const here = await world({ database, config });
  const ask = async (query: string, variables: object, headers?: Record<string, string>, token?: string) =>
    (await (token ? here.rest.as(token) : here.rest).post('/graphql', { query, variables }, headers)).body;

  /** Logs in at the provider; with the token of a session, connects its account. */
  async function throughProvider(sub: string, token?: string) {
    provider.people.set(sub, { sub, name: 'Eve', email: `${sub}@example.com`, email_verified: true });
    const browser = new Browser(PUBLIC_URL, here.base);
    const begun = token && (await ask('mutation { connectIdentity { url } }', {}, {}, token));
    const start = begun ? begun.data.connectIdentity.url : `${PUBLIC_URL}/auth/oidc`;
    const code = (await browser.follow(start, sub)).slice('#login='.length);
    const cookie = browser.header(`${PUBLIC_URL}/graphql`);
    const query = 'mutation ($code: String!) { exchangeLogIn(code: $code) { token user { id } } }';
    return (await ask(query, { code }, { cookie }, token)).data.exchangeLogIn;
  }

  async function confirms({ account }: TestUser): Promise<void> {
    const token = await catcher.secretFor(account.email, 'confirm');
    await ask('mutation ($token: String!) { confirmEmail(token: $token) { user { id } } }', { token });
  }

  async function resets(email: string, count: number, newPassword = 'secret9') {
    await ask('mutation ($email: String!) { requestPasswordReset(email: $email) { requested } }', { email });
    const token = await catcher.secretFor(email, 'reset', count);
    const query =
      'mutation ($token: String!, $newPassword: String!) { resetPassword(token: $token, newPassword: $newPassword) { email } }';
    return ask(query, { token, newPassword });
  }

  const newPerson = () => here.newUser({ email: `${randomUUID()}@example.com` });
  return { ...here, catcher, ask, throughProvider, confirms, resets, newPerson };
}

const identitiesOf = async (token: string, { ask }: Awaited<ReturnType<typeof besieged>>) =>
  (await ask('{ me { identities { id } } }', {}, {}, token)).data.me.identities;

describe('Somebody who wants into the account of another', () => {
  it('makes one with their address and a log-in of their own before them, and is out once the owner proves it', async () => {
    const here = await besieged();
    const made = await here.newPerson(); // by the attacker, with the address of the victim
    const sub = randomUUID();
    expect((await here.throughProvider(sub, made.token)).user.id).toBe(made.id);
    await here.resets(made.account.email, 2); // by the victim, who alone reads mails to it
    const { body } = await here.rest.post('/api/auth/login', {
      email: made.account.email,
      password: 'secret9',
    });
    expect(body.user.id).toBe(made.id);
    expect((await made.rest.get('/api/user/profile')).status).toBe(401);
    expect((await here.throughProvider(sub)).user.id).not.toBe(made.id);
    expect(await identitiesOf(body.token, here)).toEqual([]);
  });

  it('makes one so, is given the proof by the owner, and is out once the owner resets the password', async () => {
    const here = await besieged();
    const made = await here.newPerson();
    const sub = randomUUID();
    await here.throughProvider(sub, made.token);
    await here.catcher.mailsTo(made.account.email);
    here.clock.advance({ hours: 1 });
    await here.confirms(made); // the victim presses the button of a mail that came unasked
    await here.resets(made.account.email, 2);
    expect((await here.throughProvider(sub)).user.id).not.toBe(made.id);
  });

  it('reads nothing of an account whose mail has come to them by mistake, but what proves the address', async () => {
    const here = await besieged();
    const ana = await here.newPerson();
    await ana.hasTask();
    const token = await here.catcher.secretFor(ana.account.email, 'confirm');
    const query = `mutation ($token: String!) {
      confirmEmail(token: $token) { user { email emailConfirmedAt pauses { id } calendar(last: 7) { date } } }
    }`;
    const { data, errors } = await here.ask(query, { token });
    expect(data).toMatchObject({ confirmEmail: null });
    expect(errors.map((each: { extensions: object }) => each.extensions)).toMatchObject([
      { reason: 'TOKEN_MISSING' },
    ]);
    expect((await ana.query('{ me { emailConfirmedAt } }')).me.emailConfirmedAt).not.toBeNull();
  });

  it('cannot use up the mails that lead the owner back', async () => {
    const here = await besieged();
    const ana = await here.newPerson();
    await here.confirms(ana);
    const { email } = ana.account;
    await ana.rest.put('/api/user/profile', { email: `${randomUUID()}@example.com` });
    const token = await here.catcher.secretFor(email, 'undo-email', 2);
    const asked = 'mutation ($email: String!) { requestPasswordReset(email: $email) { requested } }';
    for (let each = 0; each < 4; each += 1) await here.ask(asked, { email });
    await eventually(async () => (await countWaiting(here.database.query())) === 0);
    await here.ask('mutation ($token: String!) { undoEmailChange(token: $token) { email } }', { token });
    const reset = await here.catcher.secretFor(email, 'reset', 3);
    const query =
      'mutation ($token: String!, $newPassword: String!) { resetPassword(token: $token, newPassword: $newPassword) { email } }';
    expect((await here.ask(query, { token: reset, newPassword: 'secret9' })).data.resetPassword).toEqual({
      email,
    });
  });

  it('connects a log-in with a stolen session and changes the address, and is out once that is taken back', async () => {
    const here = await besieged();
    const ana = await here.newPerson();
    await here.confirms(ana);
    const [own, stolen] = [randomUUID(), randomUUID()];
    await here.throughProvider(own, ana.token);
    here.clock.advance({ hours: 73 });
    const { body } = await here.rest.post('/api/auth/login', ana.account);
    await here.throughProvider(stolen, body.token);
    here.clock.advance({ hours: 71 });
    const later = (await here.rest.post('/api/auth/login', ana.account)).body.token;
    await here.rest.as(later).put('/api/user/profile', { email: `${randomUUID()}@example.com` });
    const token = await here.catcher.secretFor(ana.account.email, 'undo-email', 2);
    await here.ask('mutation ($token: String!) { undoEmailChange(token: $token) { email } }', { token });
    expect((await here.throughProvider(stolen)).user.id).not.toBe(ana.id);
    expect((await here.throughProvider(own)).user.id).toBe(ana.id);
  });

  it('keeps nothing of a session that a reset has ended, and the owner keeps a log-in that is theirs', async () => {
    const here = await besieged();
    const ana = await here.newPerson();
    await here.confirms(ana);
    const own = randomUUID();
    const { token } = await here.throughProvider(own, ana.token);
    await here.resets(ana.account.email, 2);
    for (const each of [ana.token, token])
      expect((await here.rest.as(each).get('/api/user/profile')).status).toBe(401);
    expect((await here.throughProvider(own)).user.id).toBe(ana.id);
  });
});
