import { createHash, createSecretKey, type KeyObject, randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import type { Clock } from '../clock.js';
import type { Caller } from '../scopes.js';
import type { Revoked, Session } from './revocation.queries.js';

export const TOKEN_DAYS = 30;

const LIFETIME = TOKEN_DAYS * 24 * 60 * 60;

/** In seconds: how far ahead the clock of another process that shares the secret may be. Expiry is exact. */
const ISSUER_LEEWAY = 60;

/** Of a user or a token, as they are written here. */
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export interface Token {
  token: string;
  expiresAt: Date;
}

/** How many tokens are remembered, of some 300 bytes each. */
const MOST_KNOWN = 10_000;

/** What a token with a valid signature says. */
interface Claims {
  userId: string;
  tokenId: string;
  generation: number;
  /** In seconds. */
  issuedAt: number;
  expiresAt: number;
}

export class Tokens {
  // A KeyObject, not a string: a string would first be tried as a PEM key, which makes verifying four times as slow.
  private readonly key: KeyObject;
  /** Oldest first. What depends on the time is looked at again each time. */
  private readonly verified = new Map<string, Claims>();

  constructor(
    secret: string,
    private readonly clock: Clock,
  ) {
    this.key = createSecretKey(secret, 'utf8');
  }

  issue(userId: string, generation = 0): Token {
    const iat = this.seconds();
    const exp = iat + LIFETIME;
    const claims = { sub: userId, iat, exp, jti: randomUUID(), ...(generation > 0 && { gen: generation }) };
    const token = jwt.sign(claims, this.key, { algorithm: 'HS256' });
    return { token, expiresAt: new Date(exp * 1_000) };
  }

  /** Null for an invalid token. A WebSocket sends the same text in its connection parameters. */
  identify(authorization: unknown): Caller | null {
    const token = typeof authorization === 'string' ? /^Bearer +(\S+)$/i.exec(authorization)?.[1] : undefined;
    return token === undefined ? null : this.callerOf(token);
  }

  /** Null for every kind of invalid token. */
  private callerOf(token: string): Caller | null {
    const claims = this.verified.get(token) ?? this.verify(token);
    if (!claims) return null;
    const { userId, issuedAt, expiresAt, tokenId, generation } = claims;
    const now = this.seconds();
    const latest = now + ISSUER_LEEWAY;
    const livesTooLong = expiresAt - issuedAt > LIFETIME || expiresAt > latest + LIFETIME;
    if (now >= expiresAt || livesTooLong || issuedAt > latest) return null;
    return { userId, expiresAt: new Date(expiresAt * 1_000), tokenId, generation, scopes: null };
  }

  /** Remembers the claims: verifying a token takes a tenth of the time of a small request. */
  private verify(token: string): Claims | null {
    const payload = this.payloadOf(token);
    if (typeof payload !== 'object' || payload === null) return null;
    const { sub, iat, exp, nbf, jti, gen = 0 } = payload as Record<string, unknown>;
    if (typeof sub !== 'string' || !UUID.test(sub)) return null;
    if (typeof iat !== 'number' || typeof exp !== 'number') return null;
    if (typeof gen !== 'number' || !Number.isSafeInteger(gen) || gen < 0) return null;
    const tokenId = typeof jti === 'string' && UUID.test(jti) ? jti : idOf(token);
    const claims = { userId: sub, tokenId, generation: gen, issuedAt: iat, expiresAt: exp };
    if (nbf === undefined) this.remember(token, claims); // ours have none, and it depends on the time
    return claims;
  }

  private remember(token: string, claims: Claims): void {
    // A copy: V8 would keep the whole header in memory for the sake of this part of it.
    this.verified.set(Buffer.from(token).toString(), claims);
    const [oldest] = this.verified.keys();
    if (this.verified.size > MOST_KNOWN && oldest !== undefined) this.verified.delete(oldest);
  }

  private payloadOf(token: string): unknown {
    const options = {
      algorithms: ['HS256' as const],
      clockTimestamp: this.seconds(),
      complete: true as const,
    };
    try {
      const { header, payload } = jwt.verify(token, this.key, options);
      // jsonwebtoken checks neither: `typ`, and `crit`, which lists extensions that a verifier must understand.
      return header.typ === 'JWT' && !('crit' in header) ? payload : null;
    } catch {
      return null; // not only JsonWebTokenError: a payload that is not JSON throws a SyntaxError
    }
  }

  private seconds(): number {
    return Math.floor(this.clock.now().getTime() / 1_000);
  }
}

/** For a token that was made elsewhere, without an id of its own. */
const idOf = (token: string) =>
  createHash('sha256')
    .update(token)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');

interface Watcher {
  token: Session;
  end: () => void;
}

/**
 * What was taken back in the last days, in memory, oldest first. The numbers are seconds: until when each is
 * remembered, since by then the tokens have ended by themselves.
 */
export class RevokedTokens {
  private readonly ended = new Map<string, number>();
  private readonly generations = new Map<string, { generation: number; until: number }>();
  private readonly gone = new Map<string, number>();
  /** Connections that live as long as their token, by user. */
  private readonly watchers = new Map<string, Set<Watcher>>();

  has({ userId, tokenId, generation }: Session): boolean {
    return (
      this.ended.has(tokenId) ||
      generation < (this.generations.get(userId)?.generation ?? 0) ||
      this.gone.has(userId)
    );
  }

  add(userId: string, revoked: Revoked, until: number): void {
    if ('id' in revoked) this.ended.set(revoked.id, until);
    else if ('gone' in revoked) this.gone.set(userId, until);
    else if (revoked.generation > (this.generations.get(userId)?.generation ?? 0))
      this.generations.set(userId, { generation: revoked.generation, until });
    for (const watcher of this.watchers.get(userId) ?? []) {
      if (!this.has(watcher.token)) continue;
      this.forget(watcher);
      watcher.end();
    }
  }

  /** Calls `end` when the token is revoked, soon if it is by now. Returns a function that cancels it. */
  watch(token: Session, end: () => void): () => void {
    if (this.has(token)) {
      setImmediate(end);
      return () => {};
    }
    const watcher = { token, end };
    const others = this.watchers.get(token.userId) ?? new Set();
    this.watchers.set(token.userId, others.add(watcher));
    return () => this.forget(watcher);
  }

  forgetUntil(now: number): void {
    for (const each of [this.ended, this.gone]) {
      for (const [name, until] of each) if (until <= now) each.delete(name);
    }
    for (const [userId, { until }] of this.generations) if (until <= now) this.generations.delete(userId);
  }

  private forget(watcher: Watcher): void {
    const { userId } = watcher.token;
    const others = this.watchers.get(userId);
    others?.delete(watcher);
    if (others?.size === 0) this.watchers.delete(userId);
  }
}
