import { crc32 } from 'node:zlib';
import { expect, it } from 'vitest';
import { looksLikeApiToken, newApiToken } from '../../src/features/account/api-token-text.js';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

it('An API token is steady_, 30 random characters, and their CRC-32 in base 62, which tells it from a mistyped one', () => {
  for (let time = 0; time < 300; time += 1) {
    const token = newApiToken();
    const [, text = '', check = ''] = /^steady_(\w{30})(\w{6})$/.exec(token) ?? [];
    expect([...check].reduce((sum, digit) => sum * 62 + DIGITS.indexOf(digit), 0)).toBe(crc32(text));
    expect(looksLikeApiToken(token)).toBe(true);
  }
  const token = newApiToken();
  const mistyped = [...token.slice(7)].map((letter, at) => {
    return token.slice(0, at + 7) + (letter === 'a' ? 'b' : 'a') + token.slice(at + 8);
  });
  for (const wrong of [...mistyped, '', 'steady_', `${token}0`, token.slice(1), token.replace('s', 'S')])
    expect(looksLikeApiToken(wrong), wrong).toBe(false);
});
