import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { FairSemaphore } from '../../src/base/queues/fair-semaphore.js';
import { asEvent, withPermit } from '../../src/database/database.js';
import { together } from '../../src/graphql/batching.js';
import { eventSemaphore } from '../../src/graphql/live/pipeline.js';

/** Work that is under way until it is told to end. */
function pieces(semaphore: ReturnType<typeof eventSemaphore>) {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const add = (owner: string, cost: number) => {
    const ended = new Promise<void>((resolve) => ends.push(resolve));
    const work = () => {
      begun.push(owner);
      return ended;
    };
    return semaphore.withPermit(owner, work, cost);
  };
  return { begun, add, endAll: () => ends.splice(0).map((end) => end()) };
}

describe('What is carried out for subscribers', () => {
  it('begins a little in each turn of the event loop, and all of it in the end', async () => {
    const semaphore = eventSemaphore();
    let [begun, most] = [0, 0];
    const work = Array.from({ length: 1_000 }, () => semaphore.withPermit('ana', () => (begun += 1), 25));
    for (let before = 0; begun < 1_000; before = begun) {
      await setImmediate();
      most = Math.max(most, begun - before);
    }
    await Promise.all(work);
    expect(most).toBeLessThan(50);
  });

  it('leaves room for others, however much one user has under way or waiting', async () => {
    const { begun, add, endAll } = pieces(eventSemaphore());
    for (let count = 0; count < 100; count += 1) void add('ana', 100);
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
    expect(begun).toEqual(Array(10).fill('ana'));
    void add('ben', 5_000);
    void add('eva', 100);
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
    expect(begun.slice(10)).toEqual(['ben', 'eva']);
    endAll();
  });
});

describe('What is read for events', () => {
  it('takes its share and no more, and is never given up', async () => {
    const semaphore = new FairSemaphore({ size: 3 }, null);
    let [underWay, most, done] = [0, 0, 0];
    const read = async () => {
      most = Math.max(most, ++underWay);
      await setImmediate();
      underWay -= 1;
      done += 1;
    };
    await asEvent(semaphore, 'ana', () => Promise.all(Array.from({ length: 200 }, () => withPermit(read))));
    expect([most, done]).toEqual([3, 200]);
  });

  it('is read once for all who ask before its turn, and again for whoever asks later', async () => {
    const semaphore = new FairSemaphore({ size: 1 }, null);
    const reads: string[][] = [];
    const ask = together<string, string>({
      nameOf: (key) => key,
      load: async (keys) => {
        reads.push(keys);
        await setImmediate();
        return keys.map((key) => (key === 'x' ? new Error('No x') : key.toUpperCase()));
      },
    });
    const asked = asEvent(semaphore, 'ana', () => ['a', 'b', 'b', 'x', 'c'].map((key) => ask(key)));
    const statuses = (await Promise.allSettled(asked)).map(({ status }) => status);
    expect(statuses).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(await asEvent(semaphore, 'ana', () => ask('b'))).toBe('B');
    expect(reads).toEqual([['a', 'b', 'x', 'c'], ['b']]);
  });
});
