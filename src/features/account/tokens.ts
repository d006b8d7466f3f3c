import { createHash, createSecretKey, type KeyObject, randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import type { Clock } from '../../base/clock.js';
import type { Caller } from '../../base/scopes.js';

export const TOKEN_DAYS = 30;

const LIFETIME_SECONDS = TOKEN_DAYS * 24 * 60 * 60;

/** How far ahead the clock of another process that shares the secret may be. Expiry is exact. */
const ISSUER_LEEWAY_SECONDS = 60;

/** The ids of users and tokens look like this. */
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export interface Token {
  token: string;
  expiresAt: Date;
}

export class Tokens {
  // A KeyObject, not a string: a string would first be tried as a PEM key, which makes verifying four times as slow.
  private readonly key: KeyObject;

  constructor(
    secret: string,
    private readonly clock: Clock,
  ) {
    this.key = createSecretKey(secret, 'utf8');
  }

  issue(userId: string, generation = 0, id: string = randomUUID()): Token {
    const iat = this.seconds();
    const exp = iat + LIFETIME_SECONDS;
    const claims = { sub: userId, iat, exp, jti: id, ...(generation > 0 && { gen: generation }) };
    const token = jwt.sign(claims, this.key, { algorithm: 'HS256' });
    return { token, expiresAt: new Date(exp * 1_000) };
  }

  /** Null for every kind of invalid token. */
  callerOf(token: string): Caller | null {
    const payload = this.payloadOf(token);
    if (typeof payload !== 'object' || payload === null) return null;
    const { sub, iat, exp, jti, gen = 0 } = payload as Record<string, unknown>;
    if (typeof sub !== 'string' || !UUID.test(sub)) return null;
    if (typeof iat !== 'number' || typeof exp !== 'number') return null;
    if (typeof gen !== 'number' || !Number.isSafeInteger(gen) || gen < 0) return null;
    const now = this.seconds();
    const latest = now + ISSUER_LEEWAY_SECONDS;
    const livesTooLong = exp - iat > LIFETIME_SECONDS || exp > latest + LIFETIME_SECONDS;
    if (now >= exp || livesTooLong || iat > latest) return null;
    const tokenId = typeof jti === 'string' && UUID.test(jti) ? jti : idOf(token);
    return { userId: sub, expiresAt: new Date(exp * 1_000), tokenId, generation: gen, scopes: null };
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
