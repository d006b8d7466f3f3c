import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { asRequest, isLate, suspended, timeLeft } from '../../src/base/request.js';

const pass = (milliseconds: number) => vi.advanceTimersByTime(milliseconds);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
});

describe('The time of a request for statements', () => {
  it('goes on while it works, and stands still while it waits in lines of our own, also in two at once', () =>
    asRequest(2_500, async () => {
      pass(1_000);
      expect(timeLeft()).toBe(1_500);
      const nested = suspended(async () => {
        pass(300);
        const inner = suspended(async () => pass(300));
        expect(timeLeft()).toBe(1_500);
        await inner;
      });
      const failing = suspended(() => Promise.reject(new Error('The semaphore is full')));
      await Promise.allSettled([nested, failing]);
      expect(timeLeft()).toBe(1_500);
      pass(500);
      expect(timeLeft()).toBe(1_000);
    }));

  it('ends with the time of the whole request, however much of it was spent in semaphore', () =>
    asRequest(2_500, async () => {
      await suspended(async () => {
        pass(4_000);
        expect(timeLeft()).toBe(500);
        pass(501);
        expect(isLate()).toBe(true);
      });
      expect(isLate()).toBe(true);
    }));

  it('is over after a sleep of the machine, during which the other clock stands still', () =>
    asRequest(60_000, () => {
      vi.setSystemTime(Date.now() + 3_600_000);
      expect(isLate()).toBe(true);
    }));

  it('has no end outside of requests', async () => {
    expect(await suspended(async () => timeLeft())).toBe(Infinity);
  });
});
