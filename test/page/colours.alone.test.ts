import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { COLOURS } from '../../src/page/client/habit/colours.js';

type Three = readonly [number, number, number];

const read = (file: string) => readFileSync(`src/page/client/${file}`, 'utf8');

const rgb = (text: string) => [1, 3, 5].map((at) => Number.parseInt(text.slice(at, at + 2), 16) / 255);

/** As much light as there is in each. */
const linear = (text: string) =>
  rgb(text).map((part) =>
    part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
  ) as never as Three;

const rows = (matrix: readonly number[], [r, g, b]: Three) =>
  [0, 3, 6].map(
    (at) => (matrix[at] ?? 0) * r + (matrix[at + 1] ?? 0) * g + (matrix[at + 2] ?? 0) * b,
  ) as never as Three;

/** How eyes see that lack one kind of cones (Machado, Oliveira and Fernandes, 2009). */
const EYES = {
  'all cones': [1, 0, 0, 0, 1, 0, 0, 0, 1],
  'no red': [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  'no green': [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  'no blue': [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
};

/** Where a colour lies in OKLab, in which distances are as they seem. */
function placeOf(colour: string, eyes: readonly number[]): Three {
  const seen = rows(eyes, linear(colour)).map((part) => Math.min(1, Math.max(0, part))) as never as Three;
  const cones = rows(
    [
      ...[0.4122214708, 0.5363325363, 0.0514459929, 0.2119034982, 0.6806995451],
      ...[0.1073969566, 0.0883024619, 0.2817188376, 0.6299787005],
    ],
    seen,
  ).map(Math.cbrt) as never as Three;
  return rows(
    [
      ...[0.2104542553, 0.793617785, -0.0040720468, 1.9779984951, -2.428592205],
      ...[0.4505937099, 0.0259040371, 0.7827717662, -0.808675766],
    ],
    cones,
  );
}

const brightness = (colour: string) => rows([0.2126, 0.7152, 0.0722, 0, 0, 0, 0, 0, 0], linear(colour))[0];

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

  it.each(Object.entries(EYES))('differ for eyes with %s', (_eyes, matrix) => {
    const places = colours.map((colour) => placeOf(colour, matrix));
    const distances = places.flatMap((one, index) =>
      places.slice(index + 1).map((other) => Math.hypot(...one.map((part, at) => part - (other[at] ?? 0)))),
    );
    expect(distances).toHaveLength(28);
    expect(Math.min(...distances)).toBeGreaterThan(0.09);
  });

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
