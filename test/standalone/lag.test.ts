import { describe, expect, it } from 'vitest';
import { Lag } from '../../src/database/server/lag.js';

describe('The lag of a standby', () => {
  it('is how long the first thing that it lacks has been on the primary', () => {
    const lag = new Lag();
    lag.note(100, 0);
    expect(lag.of(100, 0)).toBe(0);
    for (const at of [1_000, 2_000, 3_000]) lag.note(100 + at, at);
    expect(lag.of(100, 3_000)).toBe(2_000);
    expect(lag.of(1_500, 3_000)).toBe(1_000);
    expect(lag.of(3_100, 3_000)).toBe(0);
    lag.note(3_100, 60_000); // nothing was written for an hour, and that is no lag
    expect(lag.of(3_100, 60_000)).toBe(0);
  });

  it('is not known before it has caught up once', () => {
    const lag = new Lag();
    expect(lag.of(100, 0)).toBe(Number.POSITIVE_INFINITY);
    lag.note(200, 0);
    expect(lag.of(100, 0)).toBe(Number.POSITIVE_INFINITY);
    lag.note(300, 1_000);
    expect(lag.of(200, 1_000)).toBe(0);
  });

  it('grows while the primary does not tell, and begins again with another primary', () => {
    const lag = new Lag();
    lag.note(200, 0);
    expect(lag.of(200, 5_000)).toBe(5_000);
    lag.note(150, 6_000);
    expect(lag.of(140, 6_000)).toBe(Number.POSITIVE_INFINITY);
    expect(lag.of(150, 6_000)).toBe(0);
  });

  it('takes little memory, however long it lasts', () => {
    const lag = new Lag();
    lag.note(1, 0);
    lag.of(1, 0);
    for (let at = 2; at < 50_000; at += 1) lag.note(at, at);
    expect(lag.of(1, 50_000)).toBeGreaterThan(49_000);
    expect(JSON.stringify(lag).length).toBeLessThan(100_000);
  });
});
