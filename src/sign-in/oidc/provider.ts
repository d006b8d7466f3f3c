import * as client from 'openid-client';
import { UUID } from '../../accounts/tokens.js';
import type { Config } from '../../config.js';

/** In seconds: how long an answer of the provider is waited for, so that people are told within five. */
const PATIENCE_S = 4;

/** In milliseconds: how long what the provider says of itself is believed. */
const BELIEVED_MS = 60 * 60 * 1_000;

export interface ProviderSettings {
  issuer: string;
  clientId: string;
  clientSecret: string | undefined;
  name: string;
  allowsHttp: boolean;
}

export function providerSettings(config: Config): ProviderSettings | undefined {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret } = config;
  if (issuer === undefined || clientId === undefined) return undefined;
  const { hostname, protocol } = new URL(issuer);
  const name = config.oidcName ?? hostname;
  return { issuer, clientId, clientSecret, name, allowsHttp: protocol === 'http:' };
}

/** What a flow keeps until it comes back. */
export interface Checks {
  state: string;
  nonce: string;
  verifier: string;
}

export const newChecks = (): Checks => ({
  state: client.randomState(),
  nonce: client.randomNonce(),
  verifier: client.randomPKCECodeVerifier(),
});

/** A person as the provider knows them. */
export interface ProvidedPerson {
  issuer: string;
  subject: string;
  name: string | undefined;
  email: string | undefined;
  isEmailVerified: boolean;
}

/** Why no log-in came of it, for the page to say. */
export type FlowFault = 'PROVIDER_AWAY' | 'LOG_IN_DENIED' | 'LOG_IN_EXPIRED' | 'LOG_IN_FAILED';

export class FlowError extends Error {
  constructor(
    readonly fault: FlowFault,
    cause?: unknown,
  ) {
    super(fault, { cause });
  }
}

/** The provider of OpenID Connect. It is asked when somebody logs in, and otherwise left alone. */
export class Provider {
  private known: { configuration: client.Configuration; at: number } | undefined;
  private asking: Promise<client.Configuration> | undefined;
  /** The way to say the secret that has worked. */
  private authentication = client.ClientSecretBasic;

  constructor(readonly settings: ProviderSettings) {}

  /** Finds out ahead of time what it offers. */
  begin(): void {
    this.discovered().catch(() => {}); // the next log-in tells
  }

  /** Whether it is known to end sessions of its own. */
  get canSignOut(): boolean {
    return this.known?.configuration.serverMetadata().end_session_endpoint !== undefined;
  }

  async startUrl(redirectUri: string, { state, nonce, verifier }: Checks): Promise<URL> {
    const configuration = await this.discovered();
    return client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: 'openid profile email',
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
  }

  /** `address` is the one that the provider has sent the browser to. */
  async finish(address: URL, { state, nonce, verifier }: Checks): Promise<ProvidedPerson> {
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier };
    try {
      const tokens = await this.exchanged(address, { ...checks, idTokenExpected: true });
      const claims = tokens.claims();
      if (!claims) throw new FlowError('LOG_IN_FAILED');
      const said = claims.email === undefined ? await this.userInfo(tokens.access_token, claims.sub) : {};
      return personOf({ ...said, ...claims, iss: claims.iss, sub: claims.sub });
    } catch (error) {
      throw faultOf(error);
    }
  }

  /** Where the provider ends its own session; undefined where it offers that not. */
  async signOutUrl(backTo: string): Promise<URL | undefined> {
    const configuration = await this.discovered();
    if (!configuration.serverMetadata().end_session_endpoint) return undefined;
    return client.buildEndSessionUrl(configuration, { post_logout_redirect_uri: backTo });
  }

  /** Some know a client by one way only, and do not say by which. */
  private async exchanged(address: URL, checks: client.AuthorizationCodeGrantChecks) {
    try {
      return await client.authorizationCodeGrant(await this.discovered(), address, checks);
    } catch (error) {
      if (!isClientRefused(error) || this.settings.clientSecret === undefined) throw error;
      const { ClientSecretBasic: basic, ClientSecretPost: post } = client;
      this.authentication = this.authentication === basic ? post : basic;
      this.known = undefined;
      return client.authorizationCodeGrant(await this.discovered(), address, checks);
    }
  }

  private async userInfo(accessToken: string, subject: string) {
    const configuration = await this.discovered();
    if (!configuration.serverMetadata().userinfo_endpoint) return {};
    return client.fetchUserInfo(configuration, accessToken, subject);
  }

  private discovered(): Promise<client.Configuration> {
    if (this.known && performance.now() - this.known.at < BELIEVED_MS)
      return Promise.resolve(this.known.configuration);
    this.asking ??= this.discover().finally(() => {
      this.asking = undefined;
    });
    return this.asking;
  }

  private async discover(): Promise<client.Configuration> {
    const { issuer, clientId, clientSecret, allowsHttp } = this.settings;
    try {
      const configuration = await client.discovery(
        new URL(issuer),
        clientId,
        undefined,
        clientSecret === undefined ? client.None() : this.authentication(clientSecret),
        { timeout: PATIENCE_S, ...(allowsHttp && { execute: [client.allowInsecureRequests] }) },
      );
      this.known = { configuration, at: performance.now() };
      return configuration;
    } catch (error) {
      throw new FlowError('PROVIDER_AWAY', error);
    }
  }
}

const isClientRefused = (error: unknown) =>
  (error instanceof client.ResponseBodyError && error.error === 'invalid_client') ||
  error instanceof client.WWWAuthenticateChallengeError;

function faultOf(error: unknown): FlowError {
  if (error instanceof FlowError) return error;
  if (error instanceof client.AuthorizationResponseError)
    return new FlowError(error.error === 'access_denied' ? 'LOG_IN_DENIED' : 'LOG_IN_FAILED', error);
  const { name, code } = error as { name?: string; code?: string };
  const isAway = name === 'TypeError' || name === 'TimeoutError' || code === 'OAUTH_TIMEOUT';
  return new FlowError(isAway ? 'PROVIDER_AWAY' : 'LOG_IN_FAILED', error);
}

const textOf = (value: unknown) =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;

/** Some providers make the name of a user out of an id, which is none for people. */

function personOf(claims: Record<string, unknown> & { iss: string; sub: string }): ProvidedPerson {
  const { iss: issuer, sub: subject } = claims;
  const name = [claims.name, claims.preferred_username, claims.nickname]
    .map(textOf)
    .find((each) => each !== undefined && !UUID.test(each.toLowerCase()));
  const isEmailVerified = claims.email_verified === true;
  return { issuer, subject, name, email: textOf(claims.email), isEmailVerified };
}
