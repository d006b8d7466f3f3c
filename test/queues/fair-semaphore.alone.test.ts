import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { FairSemaphore } from '../../src/base/queues/fair-semaphore.js';
import { asRequest, asVisit } from '../../src/base/request.js';

const TOO_LATE = { reason: 'OVERLOADED', details: { outcome: 'NOT_APPLIED', retryAfter: 1 } };

/** With work that goes on until it is told to end, and work that is done at once. */
function semaphoreOf(limits: ConstructorParameters<typeof FairSemaphore>[0]) {
  const semaphore = new FairSemaphore(limits);
  const { promise, resolve: end } = Promise.withResolvers<void>();
  const order: string[] = [];
  return {
    ...{ semaphore, order, end },
    holds: (owner: string) => semaphore.withPermit(owner, () => promise),
    does: (owner: string, cost = 1) =>
      semaphore.withPermit(owner, async () => void order.push(`${owner} ${cost}`), cost),
  };
}

describe('A semaphore', () => {
  it('lets owners take turns', async () => {
    const { semaphore, order, end, holds, does } = semaphoreOf({ size: 1 });
    const all = [holds('ana'), ...['ana', 'ana', 'ben'].map((owner) => does(owner))];
    expect(semaphore.waiting).toBe(3);
    end();
    await Promise.all(all);
    expect(order).toEqual(['ana 1', 'ben 1', 'ana 1']);
  });

  it('takes the room of whoever waits most for somebody else, and has it again afterwards', async () => {
    const semaphore = new FairSemaphore({ size: 1, room: 3 });
    for (let round = 0; round < 4; round += 1) {
      const { promise, resolve: end } = Promise.withResolvers<void>();
      const [working, second, last] = [1, 2, 3].map(() => semaphore.withPermit('ana', () => promise));
      const ofBen = semaphore.withPermit('ben', async () => 'done');
      await expect(last).rejects.toMatchObject({ reason: 'OVERLOADED' });
      expect(semaphore.waiting).toBe(2);
      end();
      await Promise.all([working, second]);
      expect(await ofBen).toBe('done');
    }
  });

  it('lets nothing light of an owner pass what is heavy, however much of it comes', async () => {
    const { order, end, holds, does } = semaphoreOf({ size: 10, ofOne: 2 });
    const all = [holds('ana'), does('ana', 3), does('ana')];
    end();
    await Promise.all(all);
    expect(order).toEqual(['ana 3', 'ana 1']);
  });

  it('does without those who gave up: they cost their owners no turn, and hold up nothing behind them', async () => {
    const { semaphore, order, end, holds, does } = semaphoreOf({ size: 2, ofOne: 2 });
    const other = Promise.withResolvers<void>();
    const working = [holds('ana'), semaphore.withPermit('eva', () => other.promise)];
    const heavy = asRequest(20, () => does('ana', 3));
    const behind = [does('ana'), does('ben')];
    await expect(heavy).rejects.toMatchObject(TOO_LATE);
    expect(semaphore.waiting).toBe(2);
    end();
    await Promise.all(behind);
    expect(order).toEqual(['ana 1', 'ben 1']);
    other.resolve();
    await Promise.all(working);
  });

  it('refuses what has waited for its time, where a busy event loop kept its timer from saying so', async () => {
    const { end, holds, does } = semaphoreOf({ size: 1, longestWaitMs: 60_000 });
    const [working, late] = [holds('ana'), does('ben')];
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 61_000);
    onTestFinished(() => clock.mockRestore());
    end();
    await expect(late).rejects.toMatchObject(TOO_LATE);
    await working;
  });

  it('gives up requests that wait for too long or whose clients have gone, and goes on without them', async () => {
    const { end, holds, does } = semaphoreOf({ size: 1 });
    const working = holds('ana');
    const client = { hasGone: false };
    const leaving = asVisit({ isAbandoned: () => client.hasGone }, () =>
      asRequest(60_000, () => does('eva')),
    );
    for (const milliseconds of [20, -1])
      await expect(asRequest(milliseconds, () => does('ben'))).rejects.toMatchObject(TOO_LATE);
    client.hasGone = true;
    end();
    await working;
    await expect(leaving).rejects.toMatchObject(TOO_LATE);
    await does('ana');
  });
});
