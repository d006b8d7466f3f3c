import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { endingOf, looksLikeApiToken, newApiToken } from '../../src/features/account/api-token-text.js';
import { digestOf } from '../../src/features/account/secret.js';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

describe('An API token', () => {
  it('is steady_, 30 random characters, and their CRC-32 in base 62', () => {
    for (let time = 0; time < 1_000; time += 1) {
      const token = newApiToken();
      const [, text = '', check = ''] = /^steady_(\w{30})(\w{6})$/.exec(token) ?? [];
      const value = [...check].reduce((sum, digit) => sum * 62 + DIGITS.indexOf(digit), 0);
      expect(value).toBe(crc32(text));
      expect(looksLikeApiToken(token)).toBe(true);
    }
  });

  it('is told from a mistyped one by its text alone', () => {
    const token = newApiToken();
    for (let at = 7; at < token.length; at += 1) {
      const other = token[at] === 'a' ? 'b' : 'a';
      expect(looksLikeApiToken(token.slice(0, at) + other + token.slice(at + 1))).toBe(false);
    }
    for (const wrong of [
      '',
      'steady_',
      `${token}0`,
      token.slice(1),
      token.toLowerCase().replace('steady', 'Steady'),
    ])
      expect(looksLikeApiToken(wrong)).toBe(false);
    expect(endingOf(token)).toBe(token.slice(-4));
    expect(digestOf(token)).toMatch(/^[\w-]{43}$/);
  });
});
