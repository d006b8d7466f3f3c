import { generateKeyPairSync } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider as Oidc } from 'oidc-provider';
import { onTestFinished } from 'vitest';

export const CLIENT_ID = 'steady';
export const CLIENT_SECRET = 'a secret of the provider';

/** What a service needs to know of a provider. */
export const settingsOf = ({ issuer }: { issuer: string }) => ({
  OIDC_ISSUER: issuer,
  OIDC_CLIENT_ID: CLIENT_ID,
  OIDC_CLIENT_SECRET: CLIENT_SECRET,
});

/** A person as the provider knows them. */
export interface Person {
  sub: string;
  name?: string;
  preferred_username?: string;
  email?: string;
  email_verified?: boolean;
}

interface Options {
  redirectUris: string[];
  /** How the client says its secret; in its own way by default. */
  authMethod?: 'client_secret_basic' | 'client_secret_post';
  /** Whether the claims are in the ID token already. */
  inIdToken?: boolean;
}

/** A provider of OpenID Connect on this machine, which knows whoever is put into `people`. */
export class TestProvider {
  readonly people = new Map<string, Person>();
  issuer = '';
  private server: Server | undefined;
  private port = 0;

  async start(options: Options): Promise<this> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.port = (server.address() as AddressInfo).port;
    this.issuer = `http://127.0.0.1:${this.port}`;
    const { redirectUris, authMethod = 'client_secret_basic', inIdToken = true } = options;
    const provider = new Oidc(this.issuer, {
      clients: [
        {
          ...{ client_id: CLIENT_ID, client_secret: CLIENT_SECRET, redirect_uris: redirectUris },
          token_endpoint_auth_method: authMethod,
        },
      ],
      claims: {
        profile: ['name', 'preferred_username'],
        email: ['email', 'email_verified'],
        openid: ['sub'],
      },
      conformIdTokenClaims: !inIdToken,
      findAccount: (_ctx, sub) => ({
        accountId: sub,
        claims: async () => ({ ...this.people.get(sub), sub }),
      }),
      features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: true } },
      interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
      pkce: { required: () => true },
      cookies: { keys: ['a key of the tests'] },
      jwks: { keys: [JWK] },
      ttl: {
        AccessToken: 600,
        AuthorizationCode: 60,
        Grant: 600,
        IdToken: 600,
        Interaction: 600,
        Session: 600,
      },
    });
    const handle = provider.callback();
    server.on('request', async (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', this.issuer);
      if (!pathname.startsWith('/interaction/')) return void handle(request, response);
      const details = await provider.interactionDetails(request, response);
      const who = searchParams.get('who') ?? '';
      if (who === '') return void response.end('Who are you?');
      const grant = new provider.Grant({ accountId: who, clientId: CLIENT_ID });
      grant.addOIDCScope(String(details.params.scope));
      const result =
        who === 'nobody'
          ? { error: 'access_denied', error_description: 'Not today' }
          : { login: { accountId: who }, consent: { grantId: await grant.save() } };
      await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
    });
    this.server = server;
    return this;
  }

  async stop(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    server?.closeAllConnections();
    await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
  }
}

export async function testProvider(options: Options): Promise<TestProvider> {
  const provider = await new TestProvider().start(options);
  onTestFinished(() => provider.stop());
  return provider;
}

/** A browser, as far as flows need one: it keeps cookies by host and path, and follows where it is led. */
export class Browser {
  private readonly cookies: { name: string; value: string; host: string; path: string }[] = [];
  /** All attributes of the cookies that were set, by name. */
  readonly attributes: Record<string, string> = {};
  /** All addresses that it went to. */
  readonly visited: string[] = [];

  /** `base` is where the addresses of the public URL are really served. */
  constructor(
    private readonly publicUrl: string,
    private readonly base: string,
  ) {}

  private really = (address: string) =>
    address.startsWith(this.publicUrl) ? this.base + address.slice(this.publicUrl.length) : address;

  header(address: string): string {
    const { hostname, pathname } = new URL(address);
    const isFor = ({ host, path: below }: (typeof this.cookies)[number]) =>
      host === hostname && `${pathname}/`.startsWith(`${below.replace(/\/$/, '')}/`);
    return this.cookies
      .filter(isFor)
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
  }

  /** One request, without following. */
  async visit(address: string): Promise<Response> {
    this.visited.push(address);
    const response = await fetch(this.really(address), {
      redirect: 'manual',
      headers: { cookie: this.header(address), accept: 'text/html' },
    });
    for (const line of response.headers.getSetCookie()) this.keep(address, line);
    return response;
  }

  private keep(address: string, line: string): void {
    const { hostname, pathname } = new URL(address);
    const [pair = '', ...attributes] = line.split('; ');
    const [name = ''] = pair.split('=');
    this.attributes[name] = attributes.join('; ');
    const attribute = (wanted: string) =>
      attributes.find((each) => each.toLowerCase().startsWith(`${wanted}=`))?.slice(wanted.length + 1);
    const path = attribute('path') ?? pathname;
    const at = this.cookies.findIndex(
      (each) => each.name === name && each.host === hostname && each.path === path,
    );
    if (at >= 0) this.cookies.splice(at, 1);
    const isOver =
      attribute('max-age') === '0' || new Date(attribute('expires') ?? '9999').getTime() < Date.parse('2000');
    if (!isOver) this.cookies.push({ name, value: pair.slice(name.length + 1), host: hostname, path });
  }

  /** Follows until the page, whose fragment it answers. At the provider, the person says who they are. */
  async follow(address: string, who: string): Promise<string> {
    for (let next = address, steps = 0; steps < 15; steps += 1) {
      const response = await this.visit(next);
      const location = response.headers.get('location');
      if (location === null) {
        if (!/\/interaction\//.test(next))
          throw new Error(`${next} answered ${response.status}: ${await response.text()}`);
        next = `${next}?who=${who}`;
        continue;
      }
      const target = new URL(location, next).href;
      if (target.includes('/#')) return new URL(target).hash;
      next = target;
    }
    throw new Error('The flow goes round in circles');
  }
}

/** Made for the tests; it signs nothing else. */
const JWK = {
  ...generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey.export({ format: 'jwk' }),
  use: 'sig',
  kid: 'of-the-tests',
};
