import { randomUUID } from 'node:crypto';
import pino from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { printedResetLink } from '../../src/features/sign-in/reset-link.js';
import { configOf, ownDatabase } from '../support/database.js';
import { DOCUMENTS, silentServer } from '../support/mail.js';
import { Browser, CLIENT_SECRET, type Person, settingsOf, testProvider } from '../support/provider.js';
import { type TestUser, world } from '../support/world.js';
import { inOtherCase } from './other-case.js';

const PUBLIC_URL = 'https://habits.example.com/my/habits';
const START = `${PUBLIC_URL}/auth/oidc`;
const REDIRECTS = { redirectUris: [`${START}/callback`] };

const configAt = (provider: { issuer: string }, environment: Record<string, string> = {}) =>
  configOf({ ...settingsOf(provider), OIDC_NAME: 'House', PUBLIC_URL, ...environment });

const EXCHANGE = `mutation ($code: String!) {
  exchangeLogIn(code: $code) { token user { id name email emailConfirmedAt identities { id provider } } }
}`;

type Options = Partial<Parameters<typeof testProvider>[0]> & { environment?: Record<string, string> };

/** A service with a provider, and a database of its own. */
async function house({ environment, ...options }: Options = {}) {
  const provider = await testProvider({ ...REDIRECTS, ...options });
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const database = await ownDatabase();
  const here = await world({ database, log, config: configAt(provider, environment) });
  const knows = (person: Partial<Person> = {}): string => {
    const sub = randomUUID();
    const known = { sub, name: 'Ana', email: `${sub}@example.com`, email_verified: true };
    provider.people.set(sub, { ...known, ...person });
    return sub;
  };
  const newBrowser = () => new Browser(PUBLIC_URL, here.base);
  /** Where a person, or whatever says so, is led on the page. */
  const ledTo = async (who: string, start = START) => newBrowser().follow(start, who);
  /** What the page does with a code. */
  const exchange = async (browser: Browser, code: string, token?: string) => {
    const cookie = browser.header(`${PUBLIC_URL}/graphql`);
    const rest = token ? here.rest.as(token) : here.rest;
    return (await rest.post('/graphql', { query: EXCHANGE, variables: { code } }, { cookie })).body;
  };
  const logsIn = async (sub: string, browser = newBrowser()) =>
    (await exchange(browser, codeIn(await browser.follow(START, sub)))).data.exchangeLogIn;
  /** A session of Ana's comes back from the provider, where she is `sub`, and another may exchange the code. */
  const connects = async (ana: TestUser, sub: string, token: string | undefined = ana.token) => {
    const browser = newBrowser();
    const { connectIdentity } = await ana.query('mutation { connectIdentity { url } }');
    return exchange(browser, codeIn(await browser.follow(connectIdentity.url, sub)), token);
  };
  return { ...here, provider, lines, knows, newBrowser, ledTo, exchange, logsIn, connects };
}

const codeIn = (fragment: string) => {
  expect(fragment).toMatch(/^#login=[\w-]{43}$/);
  return fragment.slice('#login='.length);
};

const reasonIn = (body: { errors?: { extensions: { reason: string } }[] }) =>
  body.errors?.[0]?.extensions.reason;

describe('A log-in at the provider', () => {
  it.each([[{ inIdToken: true, authMethod: 'client_secret_post' as const }], [{ inIdToken: false }]])(
    'makes an account for a new person, and opens it from then on: %j',
    async (options) => {
      const { rest, clock, provider, knows, logsIn } = await house(options);
      const sub = knows({ name: 'Ana A.' });
      const first = await logsIn(sub);
      const shown = { name: 'Ana A.', email: `${sub}@example.com` };
      const emailConfirmedAt = clock.now().toISOString();
      expect(first.user).toMatchObject({ ...shown, emailConfirmedAt, identities: [{ provider: 'House' }] });
      expect((await rest.as(first.token).get('/api/user/profile')).status).toBe(200);
      provider.people.set(sub, { sub, name: 'Other', email: 'other@example.com' });
      expect((await logsIn(sub)).user).toMatchObject({ id: first.user.id, ...shown });
    },
  );

  it('opens nothing for somebody whose address has an account here, nor where sign-up is closed, or a person refuses', async () => {
    const open = await house();
    const { account } = await open.newUser();
    expect(await open.ledTo(open.knows({ email: account.email.toUpperCase() }))).toBe(
      '#login-error=EMAIL_TAKEN',
    );
    expect(await open.ledTo('nobody')).toBe('#login-error=LOG_IN_DENIED');
    expect(await open.ledTo(open.knows({ email: undefined }))).toBe('#login-error=INVALID_INPUT');
    const { database } = open;
    const closed = await world({ database, config: configAt(open.provider, { SIGN_UP: 'closed' }) });
    const fragment = await new Browser(PUBLIC_URL, closed.base).follow(START, open.knows());
    expect(fragment).toBe('#login-error=SIGN_UP_CLOSED');
    expect((await closed.rest.post('/api/auth/login', account)).status).toBe(200);
  });

  it('is the only way in for new people with SIGN_UP=oidc', async () => {
    const { rest, knows, logsIn } = await house({ environment: { SIGN_UP: 'oidc' } });
    const error = 'There is no sign-up with a password here: log in with your provider';
    const person = { name: 'A', email: 'a@b.c', password: 'secret1' };
    expect(await rest.post('/api/auth/signup', person)).toMatchObject({ status: 403, body: { error } });
    expect((await logsIn(knows())).user.name).toBe('Ana');
    const { data } = await rest.ask('{ signInService { isSignUpOpen providers { id name signOutUrl } } }');
    const providers = [{ id: 'oidc', name: 'House', signOutUrl: `${START}/sign-out` }];
    expect(data.signInService).toEqual({ isSignUpOpen: false, providers });
  });

  it('makes an account without a password, for which every password is wrong, until a link sets one', async () => {
    const { rest, database, clock, knows, logsIn } = await house();
    const sub = knows();
    const { email, id } = (await logsIn(sub)).user;
    const statusWith = async (password: string) =>
      (await rest.post('/api/auth/login', { email, password })).status;
    for (const password of ['', 'secret1', 'null']) expect(await statusWith(password)).toBe(401);
    const { link } = await printedResetLink(database, clock, { email, publicUrl: PUBLIC_URL });
    await rest.ask(DOCUMENTS.resetPassword, { token: link.split('=')[1], newPassword: 'secret1' });
    expect(await statusWith('secret1')).toBe(200);
    expect((await logsIn(sub)).user.id).toBe(id);
  });

  it('at a provider that is away says so, and passwords work; it is found again', async () => {
    const { provider, clock, rest, newUser, knows, logsIn, ledTo, ...here } = await house();
    await logsIn(knows());
    await provider.stop();
    clock.advance({ seconds: 10 });
    for (const way of [START, `${START}/sign-out`]) // though it was there before
      expect(await ledTo('ana', way)).toBe('#login-error=PROVIDER_AWAY');
    const lines = here.lines.map((line) => JSON.parse(line));
    expect(lines.find(({ fault }) => fault === 'PROVIDER_AWAY')?.cause).toMatch(
      /^fetch failed: connect ECONNREFUSED 127\.0\.0\.1:\d+$/,
    );
    expect(lines.filter(({ outcome }) => outcome === 'PROVIDER_AWAY')).toMatchObject([
      { msg: 'Request', route: '/auth/oidc', status: 302 },
      { msg: 'Request', route: '/auth/oidc/sign-out', status: 302 },
    ]);
    expect((await rest.post('/api/auth/login', (await newUser()).account)).status).toBe(200);
    await provider.start(REDIRECTS);
    clock.advance({ seconds: 2 });
    expect(await ledTo(knows())).toMatch(/^#login=/);
  });

  it('at a provider that takes connections and says nothing is waited for four seconds', async () => {
    const patience = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort());
    onTestFinished(() => patience.mockRestore());
    const { port } = await silentServer();
    const { base } = await world({ config: configAt({ issuer: `http://127.0.0.1:${port}` }) });
    expect(await new Browser(PUBLIC_URL, base).follow(START, 'ana')).toBe('#login-error=PROVIDER_AWAY');
    expect(patience).toHaveBeenCalledWith(4_000);
  });

  it('leaves nothing in the log that opens anything, and ends at the provider too, where it offers that', async () => {
    const { provider, knows, logsIn, newBrowser, lines } = await house();
    const browser = newBrowser();
    const { token } = await logsIn(knows(), browser);
    const secrets = browser.visited.flatMap((address) => [...new URL(address).searchParams.values()]);
    for (const secret of [token, CLIENT_SECRET, ...secrets.filter((each) => each.length > 20)])
      expect(lines.join('')).not.toContain(secret);
    const location = (await newBrowser().visit(`${START}/sign-out`)).headers.get('location') ?? '';
    expect(location).toMatch(`${provider.issuer}/session/end?`);
    expect(new URL(location).searchParams.get('post_logout_redirect_uri')).toBe(`${PUBLIC_URL}/`);
  });
});

const EXPIRED = '#login-error=LOG_IN_EXPIRED';

describe('What binds a log-in to one browser', () => {
  it('are two cookies that scripts cannot read, for the paths that need them', async () => {
    const { provider, knows, logsIn, newBrowser } = await house();
    const browser = newBrowser();
    await logsIn(knows(), browser);
    const { attributes } = browser;
    const bound = '.*HttpOnly; Secure; SameSite=Lax$';
    expect(attributes['steady-log-in']).toMatch(new RegExp(`^Max-Age=60; Path=/my/habits/graphql; ${bound}`));
    expect(attributes['steady-flow']).toMatch(new RegExp(`Path=/my/habits/auth/oidc; ${bound}`));
    const plain = await world({ config: configAt(provider, { PUBLIC_URL: '' }) });
    const { headers } = await fetch(`${plain.base}/auth/oidc`, { redirect: 'manual' });
    expect(headers.get('set-cookie')).toMatch(
      /^steady-flow=\S+; Max-Age=600; Path=\/auth\/oidc; .*HttpOnly; SameSite=Lax$/,
    );
    const asked = new URL(headers.get('location') ?? '').searchParams;
    expect(asked.get('code_challenge_method')).toBe('S256');
  });

  it('lets a code be exchanged once, within a minute, by that browser, to the letter', async () => {
    const { clock, knows, newBrowser, exchange } = await house();
    const sub = knows();
    const [browser, other] = [newBrowser(), newBrowser()];
    const code = codeIn(await browser.follow(START, sub));
    await other.follow(START, knows());
    for (const [each, by] of [
      [code, other],
      [code, newBrowser()],
      [inOtherCase(code), browser],
      ['', browser],
    ] as const)
      expect(reasonIn(await exchange(by, each))).toBe('INVALID_CREDENTIALS');
    expect((await exchange(browser, code)).data.exchangeLogIn.user.email).toBe(`${sub}@example.com`);
    expect(reasonIn(await exchange(browser, code))).toBe('INVALID_CREDENTIALS');
    const late = codeIn(await browser.follow(START, sub));
    clock.advance({ seconds: 60 });
    expect(reasonIn(await exchange(browser, late))).toBe('INVALID_CREDENTIALS');
  });

  it('ends after ten minutes, with its return, when it was tampered with, and in another browser than began it', async () => {
    const { base, clock, knows, newBrowser } = await house();
    const [browser, victim, slow] = [newBrowser(), newBrowser(), newBrowser()];
    await browser.follow(START, knows());
    const returned = browser.visited.findLast((address) => address.includes('/callback')) ?? '';
    expect(await browser.follow(returned, '')).toBe(EXPIRED); // replayed
    expect(await victim.follow(returned, '')).toBe(EXPIRED); // into the account of an attacker
    await victim.visit(START); // has a flow of its own
    expect(await victim.follow(returned, '')).toBe(EXPIRED);
    await slow.visit(START);
    clock.advance({ seconds: 600 });
    expect(await slow.follow(`${START}/callback?state=x&code=y`, '')).toBe(EXPIRED);
    const cookie = `steady-flow=${Buffer.from('{"state":"x"}').toString('base64url')}`;
    const back = `${base}/auth/oidc/callback?state=x&code=y`;
    const forged = await fetch(back, { redirect: 'manual', headers: { cookie } });
    expect(forged.headers.get('location')).toBe(`${PUBLIC_URL}/${EXPIRED}`);
  });

  it('leads nowhere but to the page, whatever an address or a Host header says', async () => {
    const { base, provider } = await house();
    for (const path of ['?connect=//evil.example', '/callback?redirect=https://evil.example']) {
      const headers = { 'x-forwarded-host': 'evil.example' };
      const asked = await fetch(`${base}/auth/oidc${path}`, { redirect: 'manual', headers });
      const location = asked.headers.get('location') ?? '';
      expect([PUBLIC_URL, provider.issuer].some((known) => location.startsWith(`${known}/`))).toBe(true);
      expect(location).not.toContain('evil');
    }
  });
});

describe('Connecting an account with a log-in', () => {
  it('needs the session that began it, while it lasts: a link that an attacker sends connects nothing', async () => {
    const { newUser, knows, connects, newBrowser, exchange } = await house();
    const [attacker, victim] = [await newUser(), await newUser()];
    const sub = knows();
    for (const token of [victim.token, ''])
      expect(reasonIn(await connects(attacker, sub, token))).toBe('INVALID_CREDENTIALS');
    expect((await attacker.query('{ me { identities { id } } }')).me.identities).toEqual([]);
    const { connectIdentity } = await attacker.query('mutation { connectIdentity { url } }');
    const browser = newBrowser();
    const code = codeIn(await browser.follow(connectIdentity.url, sub));
    await attacker.query('mutation { signOut { signedOutAt } }');
    expect(reasonIn(await exchange(browser, code, attacker.token))).toBe('INVALID_CREDENTIALS');
  });

  it('takes a log-in from no other account, though the provider begins to write its issuer with a slash', async () => {
    const { newUser, database, knows, logsIn, connects } = await house();
    const sub = knows();
    const { id, identities } = (await logsIn(sub)).user;
    await database.orm.em.fork().execute(`update identities set issuer = issuer || '/'`);
    expect(reasonIn(await connects(await newUser(), sub))).toBe('INVALID_INPUT');
    expect((await logsIn(sub)).user).toMatchObject({ id, identities });
  });

  it('opens it by both ways, survives a changed address, and is undone in the settings, but the last way in stays', async () => {
    const { rest, newUser, knows, logsIn, connects, ledTo } = await house();
    const ana = await newUser();
    const { email } = ana.account;
    const sub = knows({ email });
    const { user } = (await connects(ana, sub)).data.exchangeLogIn;
    expect(user).toMatchObject({ id: ana.id, identities: [{ provider: 'House' }] });
    await ana.rest.put('/api/user/profile', { email: `new-${email}` });
    expect((await logsIn(sub)).user.id).toBe(ana.id);
    await ana.rest.put('/api/user/profile', { email });

    const disconnect =
      'mutation ($id: ID!) { deleteIdentity(id: $id) { deletedId user { identities { id } } } }';
    const [{ id }] = user.identities;
    await expect((await newUser()).query(disconnect, { id })).rejects.toThrow('NOT_FOUND');
    const deleted = { deletedId: id, user: { identities: [] } };
    expect((await ana.query(disconnect, { id })).deleteIdentity).toEqual(deleted);
    expect(await ledTo(sub)).toBe('#login-error=EMAIL_TAKEN');

    const ben = await logsIn(knows());
    const asked = () => rest.as(ben.token).ask(disconnect, { id: ben.user.identities[0].id });
    expect(reasonIn(await asked())).toBe('LAST_WAY_IN');
    await rest.as(ben.token).put('/api/user/profile', { newPassword: 'secret1' });
    expect((await asked()).data.deleteIdentity.user.identities).toEqual([]);
  });
});

it('An account without a password is deleted by a session that has just begun at the provider, and takes its log-ins along in an export', async () => {
  const { rest, clock, provider, knows, logsIn } = await house();
  const sub = knows();
  const reasonWith = async (token: string) =>
    reasonIn(await rest.as(token).ask('mutation { deleteMyAccount { deletedAt } }'));
  const stolen = await logsIn(sub);
  const { body } = await rest.as(stolen.token).get('/account/export');
  const connectedAt = clock.now().toISOString();
  expect(body.account.identities).toEqual([{ issuer: provider.issuer, subject: sub, connectedAt }]);
  await logsIn(sub); // by the owner
  expect(await reasonWith(stolen.token)).toBe('INVALID_CREDENTIALS');
  const { data } = await rest.as(stolen.token).ask('mutation { signOutEverywhere { token } }');
  expect(await reasonWith(data.signOutEverywhere.token)).toBe('INVALID_CREDENTIALS');
  const late = await logsIn(sub);
  clock.advance({ seconds: 300 });
  expect(await reasonWith(late.token)).toBe('INVALID_CREDENTIALS');
  expect(await reasonWith((await logsIn(sub)).token)).toBeUndefined();
  expect((await logsIn(sub)).user.id).not.toBe(stolen.user.id);
});

it('Without a provider nothing of it is offered', async () => {
  const { rest } = await world();
  expect((await rest.get('/auth/oidc')).status).toBe(404);
  const { data } = await rest.ask('{ signInService { sendsMail isSignUpOpen providers { id } } }');
  expect(data.signInService).toEqual({ sendsMail: false, isSignUpOpen: true, providers: [] });
});
