import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listening } from './listening.js';
import { CLIENT_ID } from './provider.js';

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Answers with JSON. */
export const say =
  (value: object): Serve =>
  (_request, response) =>
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(value));

/** A provider of OpenID Connect that says whatever a test wants, in order to get in, or to keep the service busy. */
export class HostileProvider {
  issuer = '';
  /** What the ID token says besides what it has to. */
  claims: Record<string, unknown> = { sub: 'eve', name: 'Eve', email: 'eve@example.com' };
  header: Record<string, unknown> = { alg: 'RS256', kid: 'ours' };
  /** In place of what it would serve. */
  readonly serves: Partial<Record<string, Serve>> = {};
  /** The paths that were asked for, without those of a browser. */
  readonly asked: string[] = [];
  private nonce = '';

  async start(): Promise<this> {
    const server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', this.issuer);
      if (pathname === '/authorize') return this.authorize(searchParams, response);
      this.asked.push(pathname);
      const serve = this.serves[pathname] ?? this.usual(pathname);
      text(request).then(() => serve(request, response));
    });
    this.issuer = `http://127.0.0.1:${await listening(server)}`;
    return this;
  }

  private usual(pathname: string): Serve {
    const { issuer } = this;
    if (pathname === '/token') return say(this.tokens());
    if (pathname !== '/.well-known/openid-configuration')
      return (_, response) => response.writeHead(404).end();
    return say({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/me`,
      jwks_uri: `${issuer}/keys`,
      response_types_supported: ['code'],
      id_token_signing_alg_values_supported: ['RS256'],
    });
  }

  private authorize(asked: URLSearchParams, response: ServerResponse): void {
    this.nonce = asked.get('nonce') ?? '';
    const back = new URL(asked.get('redirect_uri') ?? '');
    back.searchParams.set('code', 'a code');
    back.searchParams.set('state', asked.get('state') ?? '');
    response.writeHead(302, { Location: back.href }).end();
  }

  tokens() {
    const now = Math.floor(Date.now() / 1_000);
    const usual = { iss: this.issuer, aud: CLIENT_ID, iat: now, exp: now + 300, nonce: this.nonce };
    const idToken = `${encoded(this.header)}.${encoded({ ...usual, ...this.claims })}.${encoded({})}`;
    return { access_token: 'of the provider', token_type: 'Bearer', id_token: idToken };
  }
}
