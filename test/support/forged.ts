import { createHmac } from 'node:crypto';
import { SECRET } from './world.js';

export const base64 = (part: unknown) =>
  Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');

interface Forgery {
  header?: object;
  payload: unknown;
  hash?: string;
  secret?: string;
}

/** A token made by hand, so that nothing keeps it from being wrong. */
export const forged = ({ header, payload, hash = 'sha256', secret = SECRET }: Forgery): string =>
  signed(`${base64({ alg: 'HS256', typ: 'JWT', ...header })}.${base64(payload)}`, secret, hash);

export const signed = (text: string, secret = SECRET, hash = 'sha256') =>
  `${text}.${createHmac(hash, secret).update(text).digest('base64url')}`;

/** Of somebody who hopes that nobody looks for a signature. */
export const unsigned = (payload: unknown) => `${base64({ alg: 'none', typ: 'JWT' })}.${base64(payload)}.`;
