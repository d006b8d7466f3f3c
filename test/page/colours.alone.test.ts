import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { COLOURS } from '../../src/page/client/habit/colours.js';

const read = (file: string) => readFileSync(`src/page/client/${file}`, 'utf8');

const rgb = (text: string) => [1, 3, 5].map((at) => Number.parseInt(text.slice(at, at + 2), 16) / 255);

/** As much light as there is in each. */
const linear = (text: string) =>
  rgb(text).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));

const brightness = (colour: string) => {
  const [red = 0, green = 0, blue = 0] = linear(colour);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [brightness(one), brightness(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

const pairOf = (css: string, name: string) =>
  new RegExp(`${name}: light-dark\\((#\\w+), (#\\w+)\\)`).exec(css)?.slice(1) ?? [];

const habits = read('today/rows.css');
const page = read('shell/page.css');
const ruleOf = (colour: string) => habits.split(`.colour-${colour.toLowerCase()} {`)[1]?.split('}')[0] ?? '';

describe.each([
  ['light', 0],
  ['dark', 1],
])('The colours of habits, in %s', (_name, scheme) => {
  const colours = COLOURS.map((colour) => pairOf(ruleOf(colour), '--own')[scheme] ?? '');

  it('stand out from the card, and what is written on them can be read', () => {
    const card = pairOf(page, '--card')[scheme] ?? '';
    for (const [index, own] of colours.entries()) {
      const text =
        /--on-own: (#\w+)/.exec(ruleOf(COLOURS[index] ?? ''))?.[1] ??
        pairOf(page, '--on-accent')[scheme] ??
        '';
      expect(contrast(own, card)).toBeGreaterThan(3);
      expect(contrast(own, text)).toBeGreaterThan(4.5);
    }
  });
});
