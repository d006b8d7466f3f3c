import { randomUUID } from 'node:crypto';
import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { newChecks, Provider, providerSettings } from '../../src/features/sign-in/oidc/provider.js';
import { configOf, ownDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { HostileProvider, say } from '../support/hostile-provider.js';
import { Browser, CLIENT_SECRET, settingsOf } from '../support/provider.js';
import { TestClock, world } from '../support/world.js';

const DISCOVERY = '/.well-known/openid-configuration';
const PUBLIC_URL = 'https://habits.example.com';
const EXCHANGE =
  'mutation ($code: String!) { exchangeLogIn(code: $code) { user { id email emailConfirmedAt } } }';

const logTo = (lines: string[]) =>
  pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });

async function trusting() {
  const provider = await new HostileProvider().start();
  const config = configOf({ ...settingsOf(provider), PUBLIC_URL });
  const lines: string[] = [];
  const { base, rest, clock } = await world({ database: await ownDatabase(), config, log: logTo(lines) });
  const browser = new Browser(PUBLIC_URL, base);
  const logIn = async () => {
    const fragment = await browser.follow(`${PUBLIC_URL}/auth/oidc`, 'eve');
    if (!fragment.startsWith('#login=')) return fragment;
    const cookie = browser.header(`${PUBLIC_URL}/graphql`);
    const variables = { code: fragment.slice('#login='.length) };
    const { body } = await rest.post('/graphql', { query: EXCHANGE, variables }, { cookie });
    return body.data.exchangeLogIn.user;
  };
  return { provider, logIn, base, clock, lines };
}

const FAILED = '#login-error=LOG_IN_FAILED';

describe('An answer of the provider opens nothing', () => {
  it('whose claims are not what was asked for, or that is signed as the provider does not name', async () => {
    const { provider, logIn } = await trusting();
    const good = provider.claims;
    for (const [what, claims] of [
      ['of another issuer', { iss: 'https://other.example.com' }],
      ['for another client', { aud: 'another' }],
      ['for several clients, without saying for whom', { aud: ['steady', 'another'] }],
      ['of another log-in', { nonce: 'of another' }],
      ['of no log-in', { nonce: undefined }],
      ['that is over', { exp: 1 }],
      ['about nobody', { sub: undefined }],
      ['about many', { sub: ['eve', 'ana'] }],
      ['about a blank subject', { sub: ' ' }],
      ['about one that cannot be stored', { sub: 'eve\0' }],
      ['about one without an end', { sub: 'e'.repeat(256) }],
    ] as const) {
      provider.claims = { ...good, ...claims };
      expect(await logIn(), what).toBe(FAILED);
    }
    provider.claims = good;
    for (const alg of ['none', 'HS256', 'RS1']) {
      provider.header.alg = alg;
      expect(await logIn(), alg).toBe(FAILED);
    }
  });

  it('that tells of one person and then of another, sends the service elsewhere, or never ends', async () => {
    const { provider, logIn } = await trusting();
    provider.claims = { sub: 'eve' };
    provider.serves['/me'] = say({ sub: 'ana', email: 'ana@example.com', email_verified: true });
    expect(await logIn()).toBe(FAILED);
    delete provider.serves['/me'];
    provider.serves['/token'] = (_, response) => response.writeHead(307, { Location: '/other' }).end();
    expect(await logIn()).toBe(FAILED);
    expect(provider.asked).not.toContain('/other');
    provider.serves['/token'] = (_, response) => {
      response.setHeader('Content-Type', 'application/json');
      const more = () => {
        while (!response.destroyed && response.write(' '.repeat(65_536)));
      };
      response.on('drain', more);
      more();
    };
    expect(await logIn()).toBe(FAILED);
  });
});

it('An address that the provider tells is confirmed by true alone, beside it', async () => {
  const { provider, logIn } = await trusting();
  for (const email_verified of ['true', 1, null, undefined]) {
    const email = `${randomUUID()}@example.com`;
    provider.claims = { sub: email, email, email_verified };
    expect(await logIn()).toMatchObject({ email, emailConfirmedAt: null });
  }
  provider.claims = { sub: 'eve', email_verified: true };
  provider.serves['/me'] = say({ sub: 'eve', email: 'ana@example.com' });
  for (const _ of ['new', 'again'])
    expect(await logIn()).toMatchObject({ email: 'ana@example.com', emailConfirmedAt: null });
  expect(provider.asked.filter((path) => path === '/me')).toHaveLength(1); // when somebody is new
});

/** As the service has it whose `OIDC_ISSUER` ends in one way, and that calls itself by another. */
async function providerOf(ours: string, theirs: string) {
  const { issuer: at, serves } = await new HostileProvider().start();
  const endpoints = { authorization_endpoint: `${at}/authorize`, token_endpoint: `${at}/token` };
  serves[`/house${DISCOVERY}`] = say({ issuer: at + theirs, ...endpoints });
  const settings = providerSettings(configOf({ ...settingsOf({ issuer: at + ours }), PUBLIC_URL }));
  if (!settings) throw new Error('There is a provider');
  return new Provider(settings, new TestClock());
}

it('A slash may stand at the end of the issuer or not, and the log says what else differs', async () => {
  for (const ours of ['/house', '/house/'])
    for (const theirs of ['/house', '/house/']) {
      const provider = await providerOf(ours, theirs);
      expect((await provider.startUrl(PUBLIC_URL, newChecks())).pathname).toBe('/authorize');
    }
  const provider = await providerOf('/house', '/other');
  const lines: string[] = [];
  provider.begin(logTo(lines));
  await expect(provider.startUrl(PUBLIC_URL, newChecks())).rejects.toMatchObject({ fault: 'PROVIDER_AWAY' });
  await eventually(() => lines.length > 0);
  expect(JSON.parse(lines[0] ?? '').cause).toMatch(
    /^OIDC_ISSUER is \S+\/house, but the provider calls itself \S+\/other$/,
  );
});

it('However many visitors there are, a provider is asked once in ten seconds, and one that fails in two', async () => {
  const { provider, base, clock } = await trusting();
  /** The words of the log-in page, if a visit does not lead to the provider. */
  const visit = async () => {
    const { headers } = await fetch(`${base}/auth/oidc`, { redirect: 'manual' });
    return headers.get('location')?.split('#')[1];
  };
  const visits = async () => [await visit(), await visit(), await visit()];
  const questions = () => provider.asked.filter((path) => path === DISCOVERY).length;
  expect([await visits(), questions()]).toEqual([Array(3), 1]);
  clock.advance({ seconds: 10 });
  provider.serves[DISCOVERY] = (_, response) => response.writeHead(503).end();
  expect([await visits(), questions()]).toEqual([Array(3).fill('login-error=PROVIDER_AWAY'), 2]);
  delete provider.serves[DISCOVERY];
  clock.advance({ seconds: 2 });
  expect([await visits(), questions()]).toEqual([Array(3), 3]);
});

it('An operator learns which setting is wrong, where the provider does not know the client', async () => {
  const { provider, logIn, lines } = await trusting();
  provider.serves['/token'] = (request, response) => {
    response.statusCode = 401;
    say({ error: 'invalid_client' })(request, response);
  };
  expect(await logIn()).toBe(FAILED);
  const told = lines.map((line) => JSON.parse(line)).find(({ fault }) => fault === 'LOG_IN_FAILED');
  expect(told).toMatchObject({ hint: expect.stringContaining('OIDC_CLIENT_SECRET') });
  expect(lines.join('')).not.toContain(CLIENT_SECRET);
});
