import { expect, it } from 'vitest';
import { isHeavy } from '../../src/http/body.js';

const bytes = (text: string) => Buffer.from(text);

it.each<[what: string, text: string, expected: boolean]>([
  ['a long string', JSON.stringify({ a: 'x'.repeat(250_000) }), false],
  ['a long string of brackets', JSON.stringify({ a: '[{,'.repeat(80_000) }), false],
  ['a long string of quotes', JSON.stringify({ a: '"\\'.repeat(80_000) }), false],
  ['twenty thousand keys', JSON.stringify(Object.fromEntries(Array(20_000).entries())), false],
  ['lists in lists, 50,000 deep', '['.repeat(50_000) + ']'.repeat(50_000), false],
  ['85,000 objects', `{"a":[${Array(85_000).fill('{}')}]}`, true],
  ['lists in lists, 120,000 deep', '['.repeat(120_000) + ']'.repeat(120_000), true],
  ['objects behind a string of escapes', `["\\\\","\\"",${Array(85_000).fill('{}')}]`, true],
])('A JSON text is heavy by its values, not by its length: %s', (_what, text, expected) => {
  expect(isHeavy(bytes(text))).toBe(expected);
});
