import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { asRequest, inLine, isLate, timeLeft } from '../../src/base/request.js';

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
      const nested = inLine(async () => {
        pass(300);
        const inner = inLine(async () => pass(300));
        expect(timeLeft()).toBe(1_500);
        await inner;
      });
      const failing = inLine(() => Promise.reject(new Error('The line is full')));
      await Promise.allSettled([nested, failing]);
      expect(timeLeft()).toBe(1_500);
      pass(500);
      expect(timeLeft()).toBe(1_000);
    }));

  it('ends with the time of the whole request, however much of it was spent in line', () =>
    asRequest(2_500, async () => {
      await inLine(async () => {
        pass(4_000);
        expect(timeLeft()).toBe(500);
        pass(501);
        expect(isLate()).toBe(true);
      });
      expect(isLate()).toBe(true);
    }));

  it('has no end outside of requests', async () => {
    expect(await inLine(async () => timeLeft())).toBe(Infinity);
  });
});
