import { createHash, randomBytes, randomInt } from 'node:crypto';

/** In 256 bits, for a link or an address that is handed to one person: nobody guesses it, and it is stored nowhere. */
export const newSecret = () => randomBytes(32).toString('base64url');

/** What is stored of a secret or a token in its place. */
export const digestOf = (secret: string) => createHash('sha256').update(secret).digest('base64url');

export const BASE_62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Each character with the same probability. */
export const randomText = (length: number): string =>
  Array.from({ length }, () => BASE_62.charAt(randomInt(BASE_62.length))).join('');
