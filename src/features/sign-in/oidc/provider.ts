import * as client from 'openid-client';
import type { Logger } from 'pino';
import { hasAsciiControls, looksBlank } from '../../../base/characters.js';
import type { Clock } from '../../../base/clock.js';
import type { Config } from '../../../base/config.js';
import { newSecret } from '../../account/secret.js';
import { UUID } from '../../account/tokens.js';
import type { Arrived, Profile } from '../identity.service.js';
import { bareIssuer, otherIssuer } from './issuer.js';

/** In milliseconds: all that is asked in one visit has so long together, so that people are told within five seconds. */
const PATIENCE_MS = 4_000;

/** In bytes. What a provider has to say takes some kilobytes. */
const MOST_OF_ANSWER = 1_048_576;

/** In milliseconds: how long what the provider says of itself is believed, where no browser is sent to it. */
const BELIEVED_MS = 60 * 60 * 1_000;

/**
 * In milliseconds: how long those who set out share one answer, so that no crowd of visitors becomes one of questions.
 * From a provider that is away no browser comes back, and who waits for it to be there again is not kept waiting.
 */
const SHARED_MS = { there: 10_000, away: 2_000 };

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

export const newChecks = (): Checks => ({ state: newSecret(), nonce: newSecret(), verifier: newSecret() });

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
  private known: { metadata: client.ServerMetadata; at: number } | undefined;
  /** The last question. While nothing is said yet, it is shared however long that takes. */
  private last: { said: Promise<client.ServerMetadata>; saidAt?: number; sharedFor: number } | undefined;
  /** The way of sending the secret that has worked last. Some providers take one only, and do not say which. */
  private authentication = client.ClientSecretBasic;

  constructor(
    readonly settings: ProviderSettings,
    private readonly clock: Clock,
  ) {}

  /** Finds out ahead of time what it offers, or tells the operator why nobody can log in there. */
  begin(log: Logger): void {
    this.discovered().catch((error: FlowError) => {
      log.warn({ cause: causeIn(error.cause) }, 'The provider of log-ins cannot be asked');
    });
  }

  /** Whether it is known to end sessions of its own. */
  get canSignOut(): boolean {
    return this.known?.metadata.end_session_endpoint !== undefined;
  }

  async startUrl(redirectUri: string, { state, nonce, verifier }: Checks): Promise<URL> {
    return client.buildAuthorizationUrl(await this.answering(), {
      redirect_uri: redirectUri,
      scope: 'openid profile email',
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
  }

  /** `address` is the one that the provider has sent the browser to. */
  async finish(address: URL, { state, nonce, verifier }: Checks): Promise<Arrived> {
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier };
    const patience = this.patience();
    return orFault(async () => {
      const tokens = await this.exchanged(address, { ...checks, idTokenExpected: true }, patience);
      const claims = tokens.claims();
      if (!claims || !isSubject(claims.sub)) throw new FlowError('LOG_IN_FAILED', new Error('No subject'));
      const { iss: issuer, sub: subject, email } = claims;
      const ask = () => this.userInfo(tokens.access_token, subject, patience);
      const profile = () =>
        orFault(async () => profileOf(claims, email === undefined ? await ask() : claims));
      return { issuer, subject, profile };
    });
  }

  /** Where the provider ends its own session; undefined where it offers that not. */
  async signOutUrl(backTo: string): Promise<URL | undefined> {
    const configuration = await this.answering();
    if (!configuration.serverMetadata().end_session_endpoint) return undefined;
    return client.buildEndSessionUrl(configuration, { post_logout_redirect_uri: backTo });
  }

  private async exchanged(address: URL, checks: client.AuthorizationCodeGrantChecks, patience: AbortSignal) {
    const { authentication } = this;
    try {
      return await client.authorizationCodeGrant(await this.configured(patience), address, checks);
    } catch (error) {
      if (!isClientRefused(error) || this.settings.clientSecret === undefined) throw error;
      const { ClientSecretBasic: basic, ClientSecretPost: post } = client;
      const other = authentication === basic ? post : basic;
      const tokens = await client.authorizationCodeGrant(
        await this.configured(patience, other),
        address,
        checks,
      );
      this.authentication = other;
      return tokens;
    }
  }

  private async userInfo(accessToken: string, subject: string, patience: AbortSignal) {
    const configuration = await this.configured(patience);
    if (!configuration.serverMetadata().userinfo_endpoint) return {};
    return client.fetchUserInfo(configuration, accessToken, subject);
  }

  /**
   * Whether it knows the client by that secret, as shows when it refuses a code that it has never given; undefined if
   * it says something else.
   */
  async knowsClient(redirectUri: string): Promise<boolean | undefined> {
    const { state, nonce, verifier } = newChecks();
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier };
    const patience = this.patience();
    try {
      const { issuer } = await this.discovered(patience);
      const back = new URL(redirectUri);
      back.search = new URLSearchParams({ code: newSecret(), state, iss: issuer }).toString();
      await this.exchanged(back, checks, patience);
      return undefined;
    } catch (error) {
      if (isClientRefused(error)) return false;
      return error instanceof client.ResponseBodyError && error.error === 'invalid_grant' ? true : undefined;
    }
  }

  /** Asked before a browser is sent there. */
  private async answering(): Promise<client.Configuration> {
    const patience = this.patience();
    await this.asked(patience);
    return this.configured(patience);
  }

  private patience = () => AbortSignal.timeout(PATIENCE_MS);

  /** For the calls of one visit. */
  private async configured(
    patience: AbortSignal,
    authentication = this.authentication,
  ): Promise<client.Configuration> {
    const { clientId, clientSecret, allowsHttp } = this.settings;
    const secret = clientSecret === undefined ? client.None() : authentication(clientSecret);
    const configuration = new client.Configuration(
      await this.discovered(patience),
      clientId,
      undefined,
      secret,
    );
    if (allowsHttp) client.allowInsecureRequests(configuration);
    configuration[client.customFetch] = fetchWithin(patience);
    return configuration;
  }

  private discovered(patience = this.patience()): Promise<client.ServerMetadata> {
    if (this.known && performance.now() - this.known.at < BELIEVED_MS)
      return Promise.resolve(this.known.metadata);
    return this.asked(patience);
  }

  private asked(patience: AbortSignal): Promise<client.ServerMetadata> {
    const now = this.clock.now().getTime();
    const { last } = this;
    if (last && (last.saidAt === undefined || Math.abs(now - last.saidAt) < last.sharedFor)) return last.said;
    const asking: typeof this.last = { said: this.discover(patience), sharedFor: SHARED_MS.away };
    const noteSaid = (sharedFor: number) =>
      Object.assign(asking, { saidAt: this.clock.now().getTime(), sharedFor });
    asking.said.then(
      () => noteSaid(SHARED_MS.there),
      () => noteSaid(SHARED_MS.away),
    );
    this.last = asking;
    return asking.said;
  }

  private async discover(patience: AbortSignal): Promise<client.ServerMetadata> {
    const { issuer, clientId, allowsHttp } = this.settings;
    const options = {
      [client.customFetch]: fetchWithin(patience),
      ...(allowsHttp && { execute: [client.allowInsecureRequests] }),
    };
    const discover = (url: string) => client.discovery(new URL(url), clientId, undefined, undefined, options);
    try {
      const configuration = await discover(issuer).catch((error: unknown) => {
        const theirs = issuerIn(error);
        if (theirs === undefined) throw error;
        if (bareIssuer(theirs) === bareIssuer(issuer)) return discover(theirs);
        throw new Error(otherIssuer(issuer, theirs));
      });
      this.known = { metadata: configuration.serverMetadata(), at: performance.now() };
      return this.known.metadata;
    } catch (error) {
      throw new FlowError('PROVIDER_AWAY', error);
    }
  }
}

/** Reads the whole answer, so that its time and its size are bounded. */
const fetchWithin =
  (patience: AbortSignal): client.CustomFetch =>
  async (url, options) => {
    const response = await fetch(url, { ...(options as RequestInit), signal: patience });
    const parts: Uint8Array[] = [];
    let length = 0;
    for await (const part of response.body ?? []) {
      length += part.length;
      if (length > MOST_OF_ANSWER) throw new Error('The answer is too long');
      parts.push(part);
    }
    const { status, headers } = response;
    return new Response(length > 0 ? Buffer.concat(parts) : null, { status, headers });
  };

export const isClientRefused = (error: unknown) =>
  (error instanceof client.ResponseBodyError && error.error === 'invalid_client') ||
  error instanceof client.WWWAuthenticateChallengeError;

/** In words, from the outside in. Only the parser of an answer quotes it. */
export function causeIn(error: unknown): string {
  if (error instanceof Response) return `status ${error.status}`;
  if (!(error instanceof Error)) return '';
  const { name, message, code, cause } = error as Error & { code?: string };
  const words = error instanceof SyntaxError ? name : message || code || name;
  return [words, causeIn(cause)].filter((each) => each !== '').join(': ');
}

/** What the provider calls itself, where that is the fault. */
function issuerIn(error: unknown): string | undefined {
  const { code, cause } = error as { code?: string; cause?: { body?: { issuer?: string } } };
  return code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED' ? cause?.body?.issuer : undefined;
}

async function orFault<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw faultOf(error);
  }
}

function faultOf(error: unknown): FlowError {
  if (error instanceof FlowError) return error;
  if (error instanceof client.AuthorizationResponseError)
    return new FlowError(error.error === 'access_denied' ? 'LOG_IN_DENIED' : 'LOG_IN_FAILED', error);
  const { name, code } = error as { name?: string; code?: string };
  const isAway = name === 'TypeError' || name === 'TimeoutError' || code === 'OAUTH_TIMEOUT';
  return new FlowError(isAway ? 'PROVIDER_AWAY' : 'LOG_IN_FAILED', error);
}

/** A provider that is set up wrongly may give everybody the same empty subject. */
const isSubject = (text: string) => !looksBlank(text) && text.length <= 255 && !hasAsciiControls(text);

const textOf = (value: unknown) =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;

/** Some providers make the name of a user out of an id, which is none for people. */
const isName = (text: string | undefined) => text !== undefined && !UUID.test(text.toLowerCase());

type Claims = Record<string, unknown>;

/** Only the claims that name the address can say whether it is verified. */
function profileOf(claims: Claims, withEmail: Claims): Profile {
  const all = { ...withEmail, ...claims };
  const name = [all.name, all.preferred_username, all.nickname].map(textOf).find(isName);
  return { name, email: textOf(withEmail.email), isEmailVerified: withEmail.email_verified === true };
}
