import { randomUUID } from 'node:crypto';
import pino from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { printedResetLink } from '../../src/features/sign-in/reset-link.js';
import { configOf, ownDatabase } from '../support/database.js';
import { DOCUMENTS, silentServer } from '../support/mail.js';
import { Browser, CLIENT_SECRET, type Person, settingsOf, testProvider } from '../support/provider.js';
import { type RestClient, type TestUser, world } from '../support/world.js';

const PUBLIC_URL = 'https://habits.example.com/my/habits';

const REDIRECTS = { redirectUris: [`${PUBLIC_URL}/auth/oidc/callback`] };

const configAt = (provider: { issuer: string }, environment: Record<string, string> = {}) =>
  configOf({
    ...settingsOf(provider),
    ...{ OIDC_NAME: 'House', PUBLIC_URL },
    ...environment,
  });

interface Options extends Partial<Parameters<typeof testProvider>[0]> {
  environment?: Record<string, string>;
}

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
  return { ...here, provider, lines, knows, newBrowser };
}

type House = Awaited<ReturnType<typeof house>>;

const START = `${PUBLIC_URL}/auth/oidc`;

const SESSION = 'token user { id name email emailConfirmedAt identities { id provider } }';

const EXCHANGE = `mutation ($code: String!) { exchangeLogIn(code: $code) { ${SESSION} } }`;

/** What the page does with a code. */
async function exchange(rest: RestClient, browser: Browser, code: string, token?: string) {
  const cookie = browser.header(`${PUBLIC_URL}/graphql`);
  const { body } = await (token ? rest.as(token) : rest).post(
    '/graphql',
    { query: EXCHANGE, variables: { code } },
    { cookie },
  );
  return body;
}

const codeIn = (fragment: string) => {
  expect(fragment).toMatch(/^#login=[\w-]{43}$/);
  return fragment.slice('#login='.length);
};

async function logsIn({ rest, newBrowser }: House, sub: string, browser = newBrowser()) {
  const code = codeIn(await browser.follow(START, sub));
  return (await exchange(rest, browser, code)).data.exchangeLogIn;
}

const errorOf = async ({ newBrowser }: House, who: string, start = START) => newBrowser().follow(start, who);

const reasonIn = (body: { errors?: { extensions: { reason: string } }[] }) =>
  body.errors?.[0]?.extensions.reason;

const CONNECT = 'mutation { connectIdentity { url } }';

/** The code with which a session of Ana's comes back from the provider, where she is `sub`. */
async function comesBack({ newBrowser }: House, ana: TestUser, sub: string) {
  const browser = newBrowser();
  const { connectIdentity } = await ana.query(CONNECT);
  return { browser, code: codeIn(await browser.follow(connectIdentity.url, sub)) };
}

/** Ana, who has a password, connects her account with who she is at the provider. */
async function connected(here: House) {
  const ana = await here.newUser();
  const sub = here.knows({ email: ana.account.email });
  const { browser, code } = await comesBack(here, ana, sub);
  return { ana, sub, body: await exchange(here.rest, browser, code, ana.token) };
}

describe('A log-in at the provider', () => {
  it.each([[{ inIdToken: true, authMethod: 'client_secret_post' as const }], [{ inIdToken: false }]])(
    'makes an account for a new person, and opens it from then on: %j',
    async (options) => {
      const here = await house(options);
      const sub = here.knows({ name: 'Ana A.' });
      const first = await logsIn(here, sub);
      expect(first.user).toMatchObject({
        name: 'Ana A.',
        email: `${sub}@example.com`,
        emailConfirmedAt: here.clock.now().toISOString(),
        identities: [{ provider: 'House' }],
      });
      expect((await here.rest.as(first.token).get('/api/user/profile')).status).toBe(200);
      here.provider.people.set(sub, { sub, name: 'Other', email: 'other@example.com' });
      const again = await logsIn(here, sub);
      expect(again.user).toMatchObject({ id: first.user.id, email: `${sub}@example.com`, name: 'Ana A.' });
    },
  );

  it('of somebody whose address has an account here opens nothing: the two are connected in the settings', async () => {
    const here = await house();
    const { account } = await here.newUser();
    const sub = here.knows({ email: account.email.toUpperCase() });
    expect(await errorOf(here, sub)).toBe('#login-error=EMAIL_TAKEN');
  });

  it('makes no account where sign-up is closed', async () => {
    const here = await house({ environment: { SIGN_UP: 'closed' } });
    expect(await errorOf(here, here.knows())).toBe('#login-error=SIGN_UP_CLOSED');
  });

  it('is the only way in for new people with SIGN_UP=oidc', async () => {
    const here = await house({ environment: { SIGN_UP: 'oidc' } });
    const person = { name: 'A', email: 'a@b.c', password: 'secret1' };
    expect(await here.rest.post('/api/auth/signup', person)).toMatchObject({
      status: 403,
      body: { error: 'There is no sign-up with a password here: log in with your provider' },
    });
    expect((await logsIn(here, here.knows())).user.name).toBe('Ana');
    const { data } = await here.rest.ask(
      '{ signInService { isSignUpOpen providers { id name signOutUrl } } }',
    );
    expect(data.signInService).toEqual({
      isSignUpOpen: false,
      providers: [{ id: 'oidc', name: 'House', signOutUrl: `${START}/sign-out` }],
    });
  });

  it('makes an account without a password, for which every password is wrong, until a link sets one', async () => {
    const here = await house();
    const sub = here.knows();
    const { email, id } = (await logsIn(here, sub)).user;
    const statusWith = async (password: string) =>
      (await here.rest.post('/api/auth/login', { email, password })).status;
    for (const password of ['', 'secret1', 'null']) expect(await statusWith(password)).toBe(401);
    const { link } = await printedResetLink(here.database, here.clock, { email, publicUrl: PUBLIC_URL });
    await here.rest.ask(DOCUMENTS.resetPassword, { token: link.split('=')[1], newPassword: 'secret1' });
    expect(await statusWith('secret1')).toBe(200);
    expect((await logsIn(here, sub)).user.id).toBe(id);
  });

  it('that the person or the provider refuses ends on the page, in one word', async () => {
    const here = await house();
    expect(await errorOf(here, 'nobody')).toBe('#login-error=LOG_IN_DENIED');
    expect(await errorOf(here, here.knows({ email: undefined }))).toBe('#login-error=INVALID_INPUT');
  });

  it('at a provider that is away says so, and passwords work; it is found again', async () => {
    const here = await house();
    await logsIn(here, here.knows());
    await here.provider.stop();
    here.clock.advance({ seconds: 10 });
    for (const way of [START, `${START}/sign-out`]) // though it was there before
      expect(await errorOf(here, 'ana', way)).toBe('#login-error=PROVIDER_AWAY');
    const lines = here.lines.map((line) => JSON.parse(line));
    expect(lines.filter(({ fault }) => fault === 'PROVIDER_AWAY')[0]?.cause).toMatch(
      /^fetch failed: connect ECONNREFUSED 127\.0\.0\.1:\d+$/,
    );
    expect(lines.filter(({ outcome }) => outcome === 'PROVIDER_AWAY')).toMatchObject([
      { msg: 'Request', route: '/auth/oidc', status: 302 },
      { msg: 'Request', route: '/auth/oidc/sign-out', status: 302 },
    ]);
    const { account } = await here.newUser();
    expect((await here.rest.post('/api/auth/login', account)).status).toBe(200);
    await here.provider.start(REDIRECTS);
    here.clock.advance({ seconds: 2 });
    expect(await here.newBrowser().follow(START, here.knows())).toMatch(/^#login=/);
  });

  it('at a provider that takes connections and says nothing is waited for four seconds', async () => {
    const silent = await silentServer();
    const here = await world({ config: configAt({ issuer: `http://127.0.0.1:${silent.port}` }) });
    const patience = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort());
    onTestFinished(() => patience.mockRestore());
    expect(await new Browser(PUBLIC_URL, here.base).follow(START, 'ana')).toBe('#login-error=PROVIDER_AWAY');
    expect(patience).toHaveBeenCalledWith(4_000);
  });

  it('leaves nothing in the log that opens anything', async () => {
    const here = await house();
    const browser = here.newBrowser();
    const { token } = await logsIn(here, here.knows(), browser);
    const secrets = browser.visited.flatMap((address) => [...new URL(address).searchParams.values()]);
    for (const secret of [token, CLIENT_SECRET, ...secrets.filter((each) => each.length > 20)])
      expect(here.lines.join('')).not.toContain(secret);
  });

  it('ends at the provider too, where it offers that', async () => {
    const here = await house();
    await logsIn(here, here.knows());
    const location = (await here.newBrowser().visit(`${START}/sign-out`)).headers.get('location') ?? '';
    expect(location).toMatch(`${here.provider.issuer}/session/end?`);
    expect(new URL(location).searchParams.get('post_logout_redirect_uri')).toBe(`${PUBLIC_URL}/`);
  });
});

describe('What binds a log-in to one browser', () => {
  it('are two cookies that scripts cannot read, for the paths that need them', async () => {
    const here = await house();
    const browser = here.newBrowser();
    await logsIn(here, here.knows(), browser);
    const { attributes } = browser;
    expect(attributes['steady-log-in']).toMatch(
      /^Max-Age=60; Path=\/my\/habits\/graphql; .*HttpOnly; Secure; SameSite=Lax$/,
    );
    expect(attributes['steady-flow']).toMatch(
      /Path=\/my\/habits\/auth\/oidc; .*HttpOnly; Secure; SameSite=Lax$/,
    );
    const plain = await world({ config: configAt(here.provider, { PUBLIC_URL: '' }) });
    const response = await fetch(`${plain.base}/auth/oidc`, { redirect: 'manual' });
    expect(response.headers.get('set-cookie')).toMatch(
      /^steady-flow=\S+; Max-Age=600; Path=\/auth\/oidc; .*HttpOnly; SameSite=Lax$/,
    );
    const asked = new URL(response.headers.get('location') ?? '').searchParams;
    expect(asked.get('code_challenge_method')).toBe('S256');
  });

  it('lets a code be exchanged once, within a minute, by that browser, to the letter', async () => {
    const here = await house();
    const sub = here.knows();
    const [browser, other] = [here.newBrowser(), here.newBrowser()];
    const code = codeIn(await browser.follow(START, sub));
    await other.follow(START, here.knows());
    const wrong = code.replace(/[a-z]/i, (letter) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    );
    for (const [each, by] of [
      [code, other],
      [code, here.newBrowser()],
      [wrong, browser],
      ['', browser],
    ] as const)
      expect(reasonIn(await exchange(here.rest, by, each))).toBe('INVALID_CREDENTIALS');
    expect((await exchange(here.rest, browser, code)).data.exchangeLogIn.user.email).toBe(
      `${sub}@example.com`,
    );
    expect(reasonIn(await exchange(here.rest, browser, code))).toBe('INVALID_CREDENTIALS');
    const late = codeIn(await browser.follow(START, sub));
    here.clock.advance({ seconds: 60 });
    expect(reasonIn(await exchange(here.rest, browser, late))).toBe('INVALID_CREDENTIALS');
  });

  it('lets nobody be logged in to the account of an attacker: a return that the browser did not begin is over', async () => {
    const here = await house();
    const [attacker, victim] = [here.newBrowser(), here.newBrowser()];
    await attacker.follow(START, here.knows()).catch(() => {});
    const returned = attacker.visited.findLast((address) => address.includes('/callback')) ?? '';
    expect(await victim.follow(returned, '')).toBe('#login-error=LOG_IN_EXPIRED');
    await victim.visit(START); // has a flow of its own
    expect(await victim.follow(returned, '')).toBe('#login-error=LOG_IN_EXPIRED');
  });

  it('ends after ten minutes, with its return, and when it was tampered with', async () => {
    const here = await house();
    const sub = here.knows();
    const browser = here.newBrowser();
    await browser.follow(START, sub);
    const EXPIRED = '#login-error=LOG_IN_EXPIRED';
    expect(await browser.follow(browser.visited.at(-1) ?? '', sub)).toBe(EXPIRED); // replayed
    const slow = here.newBrowser();
    await slow.visit(START);
    here.clock.advance({ seconds: 600 });
    expect(await slow.follow(`${START}/callback?state=x&code=y`, sub)).toBe(EXPIRED);
    const cookie = `steady-flow=${Buffer.from('{"state":"x"}').toString('base64url')}`;
    const back = `${here.base}/auth/oidc/callback?state=x&code=y`;
    const forged = await fetch(back, { redirect: 'manual', headers: { cookie } });
    expect(forged.headers.get('location')).toBe(`${PUBLIC_URL}/${EXPIRED}`);
  });

  it('leads nowhere but to the page, whatever an address or a Host header says', async () => {
    const here = await house();
    for (const path of ['?connect=//evil.example', '/callback?redirect=https://evil.example']) {
      const headers = { 'x-forwarded-host': 'evil.example' };
      const asked = await fetch(`${here.base}/auth/oidc${path}`, { redirect: 'manual', headers });
      const location = asked.headers.get('location') ?? '';
      expect([PUBLIC_URL, here.provider.issuer].some((known) => location.startsWith(`${known}/`))).toBe(true);
      expect(location).not.toContain('evil');
    }
  });
});

describe('Connecting an account with a log-in', () => {
  it('opens it by both ways, and survives a changed address', async () => {
    const here = await house();
    const { ana, sub, body } = await connected(here);
    expect(body.data.exchangeLogIn.user).toMatchObject({ id: ana.id, identities: [{ provider: 'House' }] });
    await ana.rest.put('/api/user/profile', { email: `new-${ana.account.email}` });
    expect((await logsIn(here, sub)).user.id).toBe(ana.id);
  });

  it('needs the session that began it: a link that an attacker sends connects nothing', async () => {
    const here = await house();
    const [attacker, victim] = [await here.newUser(), await here.newUser()];
    const sub = here.knows();
    for (const token of [victim.token, undefined]) {
      const { browser, code } = await comesBack(here, attacker, sub);
      expect(reasonIn(await exchange(here.rest, browser, code, token))).toBe('INVALID_CREDENTIALS');
    }
    expect((await attacker.query('{ me { identities { id } } }')).me.identities).toEqual([]);
  });

  it('is for people who have logged in, and only while they are', async () => {
    const here = await house();
    const ana = await here.newUser();
    const { browser, code } = await comesBack(here, ana, here.knows());
    await ana.query('mutation { signOut { signedOutAt } }');
    expect(reasonIn(await exchange(here.rest, browser, code, ana.token))).toBe('INVALID_CREDENTIALS');
  });

  it('takes a log-in from no other account, though the provider begins to write its issuer with a slash', async () => {
    const here = await house();
    const sub = here.knows();
    const first = await logsIn(here, sub);
    await here.database.orm.em.fork().execute(`update identities set issuer = issuer || '/'`);
    const ana = await here.newUser();
    const { browser, code } = await comesBack(here, ana, sub);
    expect(reasonIn(await exchange(here.rest, browser, code, ana.token))).toBe('INVALID_INPUT');
    const { id, identities } = (await logsIn(here, sub)).user;
    expect({ id, identities }).toEqual({ id: first.user.id, identities: first.user.identities });
  });

  it('is undone in the settings, but the last way in stays', async () => {
    const here = await house();
    const { ana, sub, body } = await connected(here);
    const disconnect =
      'mutation ($id: ID!) { deleteIdentity(id: $id) { deletedId user { identities { id } } } }';
    const [{ id }] = body.data.exchangeLogIn.user.identities;
    const eve = await here.newUser();
    await expect(eve.query(disconnect, { id })).rejects.toThrow('NOT_FOUND');
    const deleted = { deletedId: id, user: { identities: [] } };
    expect((await ana.query(disconnect, { id })).deleteIdentity).toEqual(deleted);
    expect(await errorOf(here, sub)).toBe('#login-error=EMAIL_TAKEN');

    const { token, user } = await logsIn(here, here.knows());
    const rest = here.rest.as(token);
    const asked = () => rest.ask(disconnect, { id: user.identities[0].id });
    expect((await asked()).errors[0].extensions.reason).toBe('LAST_WAY_IN');
    await rest.put('/api/user/profile', { newPassword: 'secret1' });
    expect((await asked()).data.deleteIdentity.user.identities).toEqual([]);
  });
});

describe('An account without a password', () => {
  const DELETE = 'mutation { deleteMyAccount { deletedAt } }';

  it('is deleted by a session that has just begun at the provider, and by no other', async () => {
    const here = await house();
    const sub = here.knows();
    const reasonWith = async (token: string) => reasonIn(await here.rest.as(token).ask(DELETE));
    const stolen = await logsIn(here, sub);
    await logsIn(here, sub); // by the owner
    expect(await reasonWith(stolen.token)).toBe('INVALID_CREDENTIALS');
    const { data } = await here.rest.as(stolen.token).ask('mutation { signOutEverywhere { token } }');
    expect(await reasonWith(data.signOutEverywhere.token)).toBe('INVALID_CREDENTIALS');
    const late = await logsIn(here, sub);
    here.clock.advance({ seconds: 300 });
    expect(await reasonWith(late.token)).toBe('INVALID_CREDENTIALS');
    expect(await reasonWith((await logsIn(here, sub)).token)).toBeUndefined();
    expect((await logsIn(here, sub)).user.id).not.toBe(stolen.user.id);
  });

  it('takes its log-ins along in an export', async () => {
    const here = await house();
    const { token } = await logsIn(here, here.knows());
    const { body } = await here.rest.as(token).get('/account/export');
    const subject = expect.any(String);
    const connectedAt = here.clock.now().toISOString();
    expect(body.account.identities).toEqual([{ issuer: here.provider.issuer, subject, connectedAt }]);
  });
});

it('Without a provider nothing of it is offered', async () => {
  const here = await world();
  expect((await here.rest.get('/auth/oidc')).status).toBe(404);
  const { data } = await here.rest.ask('{ signInService { sendsMail isSignUpOpen providers { id } } }');
  expect(data.signInService).toEqual({ sendsMail: false, isSignUpOpen: true, providers: [] });
});
