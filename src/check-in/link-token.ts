import { createHash, randomInt } from 'node:crypto';

const CHARACTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const LENGTH = 32;

/** The part of an address that nobody can guess: each character with the same probability. */
export const newLinkToken = (): string =>
  Array.from({ length: LENGTH }, () => CHARACTERS.charAt(randomInt(CHARACTERS.length))).join('');

const TOKEN = new RegExp(`^[0-9A-Za-z]{${LENGTH}}$`);

/** Whether it may be one of ours, told from its text alone. */
export const looksLikeLinkToken = (text: string): boolean => TOKEN.test(text);

/** What is stored of it. */
export const digestOf = (token: string): string => createHash('sha256').update(token).digest('base64url');
