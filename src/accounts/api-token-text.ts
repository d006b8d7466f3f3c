import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM = 30;
const CHECK = 6;

const TOKEN = new RegExp(`^steady_([0-9A-Za-z]{${RANDOM}})([0-9A-Za-z]{${CHECK}})$`);

/** The CRC-32 in base 62, padded with 0: a typing error or a guess never reaches the database. */
function checkOf(text: string): string {
  let left = crc32(text);
  let check = '';
  for (let place = 0; place < CHECK; place += 1) {
    check = DIGITS.charAt(left % DIGITS.length) + check;
    left = Math.floor(left / DIGITS.length);
  }
  return check;
}

/** Each character with the same probability. */
export function newApiToken(): string {
  const text = Array.from({ length: RANDOM }, () => DIGITS.charAt(randomInt(DIGITS.length))).join('');
  return `steady_${text}${checkOf(text)}`;
}

/** Whether it may be one of ours, told from its text alone. */
export function looksLikeApiToken(token: string): boolean {
  const [, text = '', check] = TOKEN.exec(token) ?? [];
  return check !== undefined && checkOf(text) === check;
}

/** What is stored of it. */
export const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64url');

export const endingOf = (token: string): string => token.slice(-4);
