import { EventEmitter } from 'node:events';
import type { Pool } from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { WatchedStandby } from '../../src/database/server/standby.js';

const SEEN = { cluster: 'c', database: 'd', position: '1' };

const poolThatSees = (isStandby: boolean) =>
  Object.assign(new EventEmitter(), {
    connect: async () => ({ query: async () => ({ rows: [{ ...SEEN, isStandby }] }), release: () => {} }),
    end: async () => {},
  }) as unknown as Pool;

/** It answers each look at once. */
async function watched() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const [pool, ofStandby] = [poolThatSees(true), poolThatSees(true)];
  const pools = { pool, leave: () => {}, ofStandby, ofPrimary: poolThatSees(false) };
  const standby = new WatchedStandby(pools, { maxLag: 30, onChange: () => {} });
  onTestFinished(() => standby.close());
  await standby.begin();
  const read = (work: () => Promise<string>) => standby.read(work, async () => 'on the primary');
  const late = Object.assign(new Error('Query read timeout'), { outcome: 'NOT_APPLIED' });
  const fail = () => read(() => Promise.reject(late));
  /** In seconds: how long it is left out after a read that failed. */
  const rest = async () => {
    expect(await fail()).toBe('on the primary');
    for (let seconds = 0; ; seconds += 1) {
      if (standby.state().isUsed) return seconds;
      expect(await read(async () => 'on the standby')).toBe('on the primary');
      await vi.advanceTimersByTimeAsync(1_000);
    }
  };
  return { standby, rest };
}

it('A standby that answers looks and is too slow for reads is left out for longer each time, up to a minute', async () => {
  const { standby, rest } = await watched();
  expect(standby.state().isUsed).toBe(true);
  const rests: number[] = [];
  for (let time = 0; time < 8; time += 1) rests.push(await rest());
  // It is looked at every second, and used again by the look after its rest.
  expect(rests).toEqual([2, 3, 5, 9, 17, 33, 61, 61]);
});

it('A standby that has been well for a minute is left out for a second again', async () => {
  const { rest } = await watched();
  for (let time = 0; time < 4; time += 1) await rest();
  await vi.advanceTimersByTimeAsync(50_000);
  expect(await rest()).toBe(17);
  await vi.advanceTimersByTimeAsync(61_000);
  expect(await rest()).toBe(2);
});
