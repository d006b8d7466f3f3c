import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isoOf } from '../../src/base/clock.js';

describe('An instant', () => {
  it('is written as toISOString writes it, in every year that there is', () => {
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true }), (instant) => isoOf(instant) === instant.toISOString()),
    );
    for (const text of [
      '0999-12-31T23:59:59.999Z',
      '1000-01-01',
      '9999-12-31T23:59:59.999Z',
      '+010000-01-01T00:00:00Z',
      '-000001-06-01T00:00:00Z',
    ])
      expect(isoOf(new Date(text))).toBe(new Date(text).toISOString());
    expect(() => isoOf(new Date(Number.NaN))).toThrow(RangeError);
  });
});
