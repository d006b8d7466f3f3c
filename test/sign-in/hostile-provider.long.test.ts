import { randomUUID } from 'node:crypto';
import pino from 'pino';
import { describe, expect, it, vi } from 'vitest';
import { newChecks, Provider, providerSettings } from '../../src/features/sign-in/oidc/provider.js';
import { signInMetrics } from '../../src/features/sign-in/topics.js';
import { Metrics } from '../../src/telemetry/metrics.js';
import { configOf, ownDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { HostileProvider, say } from '../support/hostile-provider.js';
import { Browser, CLIENT_SECRET, settingsOf } from '../support/provider.js';
import { TestClock, world } from '../support/world.js';

const PUBLIC_URL = 'https://habits.example.com';

async function trusting() {
  const provider = await new HostileProvider().start();
  const database = await ownDatabase();
  const config = configOf({ ...settingsOf(provider), PUBLIC_URL });
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const { base, rest, clock } = await world({ database, config, log });
  const browser = new Browser(PUBLIC_URL, base);
  const logIn = async () => {
    const fragment = await browser.follow(`${PUBLIC_URL}/auth/oidc`, 'eve');
    if (!fragment.startsWith('#login=')) return fragment;
    const query =
      'mutation ($code: String!) { exchangeLogIn(code: $code) { user { id email emailConfirmedAt } } }';
    const cookie = browser.header(`${PUBLIC_URL}/graphql`);
    const variables = { code: fragment.slice('#login='.length) };
    return (await rest.post('/graphql', { query, variables }, { cookie })).body.data.exchangeLogIn.user;
  };
  return { provider, config, logIn, base, clock, lines, browser };
}

const FAILED = '#login-error=LOG_IN_FAILED';

describe('An answer of the provider opens nothing', () => {
  it('whose claims are not what was asked for', async () => {
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
      ['about an empty subject', { sub: '' }],
      ['about a blank one', { sub: ' ' }],
      ['about one that cannot be stored', { sub: 'eve\0' }],
      ['about one that cannot be printed', { sub: 'eve\u0007' }],
      ['about one without an end', { sub: 'e'.repeat(256) }],
    ] as const) {
      provider.claims = { ...good, ...claims };
      expect(await logIn(), what).toBe(FAILED);
    }
  });

  it('that is signed as the provider does not name', async () => {
    const { provider, logIn } = await trusting();
    for (const alg of ['none', 'HS256', 'RS1']) {
      provider.header.alg = alg;
      expect(await logIn(), alg).toBe(FAILED);
    }
  });

  it('that tells of one person in one place and of another in the next', async () => {
    const { provider, logIn } = await trusting();
    provider.claims = { sub: 'eve' };
    provider.serves['/me'] = say({ sub: 'ana', email: 'ana@example.com', email_verified: true });
    expect(await logIn()).toBe(FAILED);
  });

  it('that sends the service elsewhere', async () => {
    const { provider, logIn } = await trusting();
    const other = await new HostileProvider().start();
    provider.serves['/token'] = (_, response) =>
      response.writeHead(307, { Location: `${other.issuer}/token` }).end();
    expect(await logIn()).toBe(FAILED);
    expect(other.asked).toEqual([]);
  });

  it('that never ends', async () => {
    const { provider, logIn } = await trusting();
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

describe('An address that the provider tells', () => {
  it('is confirmed by true alone', async () => {
    const { provider, logIn } = await trusting();
    for (const email_verified of ['true', 1, null, undefined]) {
      const email = `${randomUUID()}@example.com`;
      provider.claims = { sub: email, email, email_verified };
      expect(await logIn()).toMatchObject({ email, emailConfirmedAt: null });
    }
  });

  it('is confirmed by those words alone that stand beside it', async () => {
    const { provider, logIn } = await trusting();
    provider.claims = { sub: 'eve', email_verified: true };
    provider.serves['/me'] = say({ sub: 'eve', email: 'ana@example.com' });
    expect(await logIn()).toMatchObject({ email: 'ana@example.com', emailConfirmedAt: null });
  });

  it('is asked for once, when somebody is new', async () => {
    const { provider, logIn } = await trusting();
    provider.claims = { sub: 'eve' };
    provider.serves['/me'] = say({ sub: 'eve', email: 'eve@example.com' });
    expect(await logIn()).toEqual(await logIn());
    expect(provider.asked.filter((path) => path === '/me')).toHaveLength(1);
  });
});

describe('A slash at the end of the issuer', () => {
  const providerOf = async (ours: string, theirs: string) => {
    const { issuer: at, serves } = await new HostileProvider().start();
    const issuer = at + theirs;
    const endpoints = { authorization_endpoint: `${at}/authorize`, token_endpoint: `${at}/token` };
    serves['/house/.well-known/openid-configuration'] = say({ issuer, ...endpoints });
    const settings = providerSettings(configOf({ ...settingsOf({ issuer: at + ours }), PUBLIC_URL }));
    if (!settings) throw new Error('There is a provider');
    return new Provider(settings, new TestClock());
  };

  it.each([
    ['/house', '/house'],
    ['/house/', '/house/'],
    ['/house', '/house/'],
    ['/house/', '/house'],
  ])('may stand there or not: %s for %s', async (ours, theirs) => {
    const provider = await providerOf(ours, theirs);
    expect((await provider.startUrl(PUBLIC_URL, newChecks())).pathname).toBe('/authorize');
  });

  it('is all that may differ, and the log says what else does', async () => {
    const provider = await providerOf('/house', '/other');
    const lines: string[] = [];
    provider.begin(pino({}, { write: (line: string) => void lines.push(line) }));
    await expect(provider.startUrl(PUBLIC_URL, newChecks())).rejects.toMatchObject({
      fault: 'PROVIDER_AWAY',
    });
    await eventually(() => lines.length > 0);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      msg: 'The provider of log-ins cannot be asked',
      cause: expect.stringMatching(/^OIDC_ISSUER is \S+\/house, but the provider calls itself \S+\/other$/),
    });
  });
});

it('A provider is waited for once in a visit, however often it is asked', async () => {
  const provider = await new HostileProvider().start();
  const settings = providerSettings(configOf({ ...settingsOf(provider), PUBLIC_URL }));
  if (!settings) throw new Error('There is a provider');
  const asked = new Provider(settings, new TestClock());
  const checks = newChecks();
  const back = `${PUBLIC_URL}/auth/oidc/callback`;
  await fetch(await asked.startUrl(back, checks), { redirect: 'manual' }); // it keeps the nonce
  const patience = new AbortController();
  vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(patience.signal);
  provider.claims = { sub: 'eve' };
  provider.serves['/me'] = (request, response) => {
    patience.abort(new DOMException('It is over', 'TimeoutError'));
    say({ sub: 'eve', email: 'eve@example.com' })(request, response);
  };
  const { profile } = await asked.finish(new URL(`${back}?code=one&state=${checks.state}`), checks);
  await expect(profile()).rejects.toMatchObject({ fault: 'PROVIDER_AWAY' });
});

describe('However many visitors there are', () => {
  async function visited() {
    const { provider, base, clock } = await trusting();
    /** The words of the log-in page, if a visit does not lead to the provider. */
    const visits = async (count: number) => {
      const told: string[] = [];
      for (let visit = 0; visit < count; visit += 1) {
        const { headers } = await fetch(`${base}/auth/oidc`, { redirect: 'manual' });
        told.push(headers.get('location')?.split('#')[1] ?? '');
      }
      return [...new Set(told)];
    };
    const questions = () => provider.asked.filter((path) => path === DISCOVERY).length;
    return { provider, clock, visits, questions };
  }

  it('the provider is asked once in ten seconds', async () => {
    const { clock, visits, questions } = await visited();
    expect(await visits(3)).toEqual(['']);
    expect(questions()).toBe(1);
    clock.advance({ seconds: 10 });
    await visits(3);
    expect(questions()).toBe(2);
  });

  it('one that fails is asked once in two seconds, and is found again', async () => {
    const { provider, clock, visits, questions } = await visited();
    provider.serves[DISCOVERY] = (_, response) => response.writeHead(503).end();
    expect(await visits(3)).toEqual(['login-error=PROVIDER_AWAY']);
    expect(questions()).toBe(1);
    delete provider.serves[DISCOVERY];
    clock.advance({ seconds: 2 });
    expect(await visits(3)).toEqual(['']);
    expect(questions()).toBe(2);
  });
});

const DISCOVERY = '/.well-known/openid-configuration';

describe('What an operator learns of a log-in at the provider', () => {
  it('is how it ended, as a metric', async () => {
    const metrics = new Metrics();
    signInMetrics(metrics, { config: { ...configOf(), oidcIssuer: 'https://login.example.com' } });
    const counts = async () => {
      const lines = (await metrics.text()).split('\n').filter((line) => /^steady_provider_log/.test(line));
      return Object.fromEntries(
        lines.map((line) => [/outcome="(\w+)"/.exec(line)?.[1], Number(line.split(' ')[1])]),
      );
    };
    const none = { done: 0, away: 0, failed: 0, denied: 0, expired: 0, refused: 0 };
    expect(await counts()).toEqual(none);
    const { provider, clock, logIn, browser } = await trusting();
    await logIn();
    await browser.follow(`${PUBLIC_URL}/auth/oidc/callback?state=x&code=y`, 'eve');
    provider.claims = { sub: 'without an address' };
    provider.serves['/me'] = say({ sub: 'without an address' });
    await logIn();
    provider.claims = { sub: '' };
    await logIn();
    provider.serves[DISCOVERY] = (_, response) => response.writeHead(503).end();
    clock.advance({ seconds: 10 });
    await logIn();
    await browser.follow(`${PUBLIC_URL}/auth/oidc/sign-out`, 'eve'); // which is no log-in
    expect(await counts()).toEqual({ ...none, done: 1, expired: 1, refused: 1, failed: 1, away: 1 });
  });

  it('is the name of the setting, where the provider does not know the client', async () => {
    const { provider, logIn, lines } = await trusting();
    provider.serves['/token'] = (request, response) => {
      response.statusCode = 401;
      say({ error: 'invalid_client' })(request, response);
    };
    expect(await logIn()).toBe(FAILED);
    const [told] = lines.map((line) => JSON.parse(line)).filter(({ fault }) => fault === 'LOG_IN_FAILED');
    expect(told).toMatchObject({ hint: expect.stringContaining('OIDC_CLIENT_SECRET') });
    expect(lines.join('')).not.toContain(CLIENT_SECRET);
  });
});
