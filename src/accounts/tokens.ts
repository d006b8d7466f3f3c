import { createSecretKey, type KeyObject, randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import type { Clock } from '../clock.js';

export const TOKEN_DAYS = 30;

const LIFETIME = TOKEN_DAYS * 24 * 60 * 60;

/** In seconds: how far ahead the clock of another process that shares the secret may be. Expiry is exact. */
const ISSUER_LEEWAY = 60;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export interface Token {
  token: string;
  expiresAt: Date;
}

/** The user whom a token authenticates, and when the token expires. */
export interface Caller {
  userId: string;
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

  issue(userId: string): Token {
    const iat = this.seconds();
    const exp = iat + LIFETIME;
    const token = jwt.sign({ sub: userId, iat, exp, jti: randomUUID() }, this.key, { algorithm: 'HS256' });
    return { token, expiresAt: new Date(exp * 1_000) };
  }

  /**
   * The id of the user, or null for an invalid token. A WebSocket sends the same text in its connection parameters.
   */
  authenticate(authorization: unknown): string | null {
    return this.identify(authorization)?.userId ?? null;
  }

  /** Like `authenticate`, but with the expiry of the token. */
  identify(authorization: unknown): Caller | null {
    const token = typeof authorization === 'string' ? /^Bearer +(\S+)$/i.exec(authorization)?.[1] : undefined;
    return token === undefined ? null : this.callerOf(token);
  }

  /** Null for every kind of invalid token. */
  private callerOf(token: string): Caller | null {
    const claims = this.claimsOf(token);
    if (typeof claims !== 'object' || claims === null) return null;
    const { sub, iat, exp } = claims as Record<string, unknown>;
    if (typeof sub !== 'string' || !UUID.test(sub)) return null;
    if (typeof iat !== 'number' || typeof exp !== 'number') return null;
    const latest = this.seconds() + ISSUER_LEEWAY;
    const livesTooLong = exp - iat > LIFETIME || exp > latest + LIFETIME;
    return livesTooLong || iat > latest ? null : { userId: sub, expiresAt: new Date(exp * 1_000) };
  }

  private claimsOf(token: string): unknown {
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
