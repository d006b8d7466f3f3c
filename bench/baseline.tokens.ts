import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';

const key = createSecretKey(process.env.JWT_SECRET ?? '', 'utf8');

/** In seconds, as the service has it. */
const LIFETIME = 30 * 24 * 60 * 60;
const LEEWAY = 60;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What the service asks of a token (HS256), and nothing less. */
export function userOf(authorization: string | undefined): string | null {
  const [, token = ''] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
  const end = token.lastIndexOf('.');
  const middle = token.indexOf('.');
  if (middle < 0 || middle === end) return null;
  const signature = Buffer.from(token.slice(end + 1), 'base64url');
  const expected = createHmac('sha256', key).update(token.slice(0, end)).digest();
  if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) return null;
  const header = JSON.parse(Buffer.from(token.slice(0, middle), 'base64url').toString());
  if (header.alg !== 'HS256' || header.typ !== 'JWT' || 'crit' in header) return null;
  const { sub, iat, exp } = JSON.parse(Buffer.from(token.slice(middle + 1, end), 'base64url').toString());
  if (typeof sub !== 'string' || !UUID.test(sub)) return null;
  if (typeof iat !== 'number' || typeof exp !== 'number') return null;
  const now = Math.floor(Date.now() / 1_000);
  const latest = now + LEEWAY;
  const isGood = exp > now && exp - iat <= LIFETIME && exp <= latest + LIFETIME && iat <= latest;
  return isGood ? sub : null;
}
