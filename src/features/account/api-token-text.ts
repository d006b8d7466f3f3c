import { crc32 } from 'node:zlib';
import { BASE_62, randomText } from './secret.js';

const RANDOM = 30;
const CHECK = 6;

const TOKEN = new RegExp(`^steady_([0-9A-Za-z]{${RANDOM}})([0-9A-Za-z]{${CHECK}})$`);

/** The CRC-32 in base 62, padded with 0: a typing error or a guess never reaches the database. */
function checkOf(text: string): string {
  let left = crc32(text);
  let check = '';
  for (let place = 0; place < CHECK; place += 1) {
    check = BASE_62.charAt(left % BASE_62.length) + check;
    left = Math.floor(left / BASE_62.length);
  }
  return check;
}

export function newApiToken(): string {
  const text = randomText(RANDOM);
  return `steady_${text}${checkOf(text)}`;
}

/** Whether it may be one of ours, told from its text alone. */
export function looksLikeApiToken(token: string): boolean {
  const [, text = '', check] = TOKEN.exec(token) ?? [];
  return check !== undefined && checkOf(text) === check;
}

export const endingOf = (token: string): string => token.slice(-4);
