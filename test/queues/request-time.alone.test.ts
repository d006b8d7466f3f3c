import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { mapYielding } from '../../src/base/queues/event-loop.js';
import { shareCall, shareSuccess } from '../../src/base/queues/shared-call.js';
import { asRequest, currentRequest, isLate, suspended, timeLeft } from '../../src/base/request.js';

describe('The time of a request for statements', () => {
  const pass = (milliseconds: number) => vi.advanceTimersByTime(milliseconds);

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance', 'Date'] });
    onTestFinished(() => void vi.useRealTimers());
  });

  it('goes on while it works, and stands still while it waits in lines of our own, also in two at once', () =>
    asRequest(2_500, async () => {
      pass(1_000);
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
      });
      expect(isLate()).toBe(true);
    }));

  it('is over after a sleep of the machine, during which the other clock stands still', () =>
    asRequest(60_000, () => {
      vi.setSystemTime(Date.now() + 3_600_000);
      expect(isLate()).toBe(true);
    }));
});

it.each([shareCall, shareSuccess])(
  'What %o shares has the deadline of none who ask, and is waited for by each as long as that may',
  async (share) => {
    expect(
      await asRequest(
        1_000,
        share(async () => currentRequest()),
      ),
    ).toBe(null);
    const { promise, resolve } = Promise.withResolvers<string>();
    const call = share(() => promise);
    const details = { outcome: 'NOT_APPLIED' };
    await expect(asRequest(50, call)).rejects.toMatchObject({ reason: 'OVERLOADED', details });
    const others = [asRequest(60_000, call), call()];
    resolve('there');
    expect(await Promise.all(others)).toEqual(['there', 'there']);
  },
);

it('Work that takes long lets others in between', async () => {
  let [turns, isDone] = [0, false];
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const seen = await mapYielding([1, 2, 3], () => {
    for (const since = performance.now(); performance.now() - since < 12; );
    return turns;
  });
  isDone = true;
  expect(seen).toEqual([0, expect.toSatisfy((at) => at > 0), expect.toSatisfy((at) => at > (seen[1] ?? 0))]);
});
