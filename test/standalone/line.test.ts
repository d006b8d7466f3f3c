import { describe, expect, it } from 'vitest';
import { Line } from '../../src/fair-queue.js';
import { asRequest, currentRequest } from '../../src/request.js';

/** Work that goes on until it is told to end. */
function task() {
  let end = () => {};
  const done = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { work: () => done, end };
}

describe('A line', () => {
  it('lets owners take turns', async () => {
    const line = new Line(1, 60_000);
    const first = task();
    const order: string[] = [];
    const all = [line.hold('ana', first.work)];
    for (const owner of ['ana', 'ana', 'ben']) all.push(line.hold(owner, async () => void order.push(owner)));
    first.end();
    await Promise.all(all);
    expect(order).toEqual(['ana', 'ben', 'ana']);
  });

  it('has one place for each owner, however many there are', async () => {
    const line = new Line(2, 60_000);
    const [first, second] = [task(), task()];
    const ofAna = [line.hold('ana', first.work), line.hold('ana', second.work)];
    expect(await line.hold('ben', async () => 'done')).toBe('done');
    first.end();
    second.end();
    await Promise.all(ofAna);
  });

  it('refuses whoever has waited for too long, and goes on without them', async () => {
    const line = new Line(1, 20);
    const first = task();
    const working = line.hold('ana', first.work);
    await expect(line.hold('ben', async () => {})).rejects.toMatchObject({
      reason: 'OVERLOADED',
      details: { outcome: 'NOT_APPLIED', retryAfter: 1 },
    });
    first.end();
    await working;
    expect(await line.hold('ana', async () => 'done')).toBe('done');
  });

  it('does not count the wait against the time for statements', async () => {
    const line = new Line(1, 60_000);
    const first = task();
    const working = line.hold('ana', first.work);
    const waited = asRequest(60_000, () => line.hold('ben', async () => currentRequest()?.line.waited));
    first.end();
    await working;
    expect(await waited).toBeGreaterThan(0);
  });
});
