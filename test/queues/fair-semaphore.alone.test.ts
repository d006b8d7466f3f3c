import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { FairSemaphore } from '../../src/base/queues/fair-semaphore.js';
import { asRequest, asVisit } from '../../src/base/request.js';

/** Work that goes on until it is told to end. */
function task() {
  const { promise, resolve: end } = Promise.withResolvers<void>();
  return { work: () => promise, end };
}

const TOO_LATE = { reason: 'OVERLOADED', details: { outcome: 'NOT_APPLIED', retryAfter: 1 } };

describe('A semaphore', () => {
  it('lets owners take turns', async () => {
    const semaphore = new FairSemaphore({ size: 1 });
    const first = task();
    const order: string[] = [];
    const all = [semaphore.withPermit('ana', first.work)];
    for (const owner of ['ana', 'ana', 'ben'])
      all.push(semaphore.withPermit(owner, async () => void order.push(owner)));
    expect(semaphore.waiting).toBe(3);
    first.end();
    await Promise.all(all);
    expect(order).toEqual(['ana', 'ben', 'ana']);
  });

  it('has a limit for each owner, who is passed by others', async () => {
    const semaphore = new FairSemaphore({ size: 2, ofOne: 1 });
    const [first, second] = [task(), task()];
    const ofAna = [semaphore.withPermit('ana', first.work), semaphore.withPermit('ana', second.work)];
    expect(await semaphore.withPermit('ben', async () => 'done')).toBe('done');
    first.end();
    second.end();
    await Promise.all(ofAna);
  });

  it('takes the room of whoever waits most for somebody else, and has it again afterwards', async () => {
    const semaphore = new FairSemaphore({ size: 1, room: 3 });
    for (let round = 0; round < 4; round += 1) {
      const first = task();
      const [working, second, last] = [1, 2, 3].map(() => semaphore.withPermit('ana', first.work));
      const ofBen = semaphore.withPermit('ben', async () => 'done');
      await expect(last).rejects.toMatchObject({ reason: 'OVERLOADED' });
      expect(semaphore.waiting).toBe(2);
      first.end();
      await Promise.all([working, second]);
      expect(await ofBen).toBe('done');
    }
  });

  it('lets nothing light of an owner pass what is heavy, however much of it comes', async () => {
    const semaphore = new FairSemaphore({ size: 10, ofOne: 2 });
    const first = task();
    const order: string[] = [];
    const all = [
      semaphore.withPermit('ana', first.work),
      semaphore.withPermit('ana', async () => void order.push('heavy'), 3),
      semaphore.withPermit('ana', async () => void order.push('light')),
    ];
    first.end();
    await Promise.all(all);
    expect(order).toEqual(['heavy', 'light']);
  });

  it('does without those who gave up: they cost their owners no turn, and hold up nothing behind them', async () => {
    const semaphore = new FairSemaphore({ size: 2, ofOne: 2 });
    const [first, second] = [task(), task()];
    const working = [semaphore.withPermit('ana', first.work), semaphore.withPermit('eva', second.work)];
    const order: string[] = [];
    const heavy = asRequest(20, () => semaphore.withPermit('ana', async () => {}, 3));
    const behind = ['ana', 'ben'].map((owner) =>
      semaphore.withPermit(owner, async () => void order.push(owner)),
    );
    await expect(heavy).rejects.toMatchObject(TOO_LATE);
    expect(semaphore.waiting).toBe(2);
    first.end();
    await Promise.all(behind);
    expect(order).toEqual(['ana', 'ben']);
    second.end();
    await Promise.all(working);
  });

  it('refuses what has waited for its time, where a busy event loop kept its timer from saying so', async () => {
    const semaphore = new FairSemaphore({ size: 1, longestWaitMs: 60_000 });
    const first = task();
    const working = semaphore.withPermit('ana', first.work);
    const late = semaphore.withPermit('ben', async () => {});
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 61_000);
    onTestFinished(() => clock.mockRestore());
    first.end();
    await expect(late).rejects.toMatchObject(TOO_LATE);
    await working;
  });

  it('gives up requests that wait for too long or whose clients have gone, and goes on without them', async () => {
    const semaphore = new FairSemaphore({ size: 1 });
    const first = task();
    const working = semaphore.withPermit('ana', first.work);
    const client = { hasGone: false };
    const leaving = asVisit({ isAbandoned: () => client.hasGone }, () =>
      asRequest(60_000, () => semaphore.withPermit('eva', async () => {})),
    );
    await expect(asRequest(20, () => semaphore.withPermit('ben', async () => {}))).rejects.toMatchObject(
      TOO_LATE,
    );
    await expect(asRequest(-1, () => semaphore.withPermit('ben', async () => {}))).rejects.toMatchObject(
      TOO_LATE,
    );
    client.hasGone = true;
    first.end();
    await working;
    await expect(leaving).rejects.toMatchObject(TOO_LATE);
    expect(await semaphore.withPermit('ana', async () => 'done')).toBe('done');
  });
});
