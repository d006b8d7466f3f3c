import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { FairSemaphore } from '../../src/base/queues/fair-semaphore.js';
import { asEvent, withPermit } from '../../src/database/database.js';
import { together } from '../../src/graphql/batching.js';
import { eventSemaphore } from '../../src/graphql/live/pipeline.js';

it('What is carried out for subscribers leaves room for others, however much one user has under way or waiting', async () => {
  const semaphore = eventSemaphore();
  const begun: string[] = [];
  const add = (owner: string, cost: number) =>
    void semaphore.withPermit(owner, () => new Promise(() => begun.push(owner)), cost);
  const turns = async () => {
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
  };
  for (let count = 0; count < 100; count += 1) add('ana', 100);
  await turns();
  expect(begun).toEqual(Array(10).fill('ana'));
  add('ben', 5_000);
  add('eva', 100);
  await turns();
  expect(begun.slice(10)).toEqual(['ben', 'eva']);
});

it('What is read for events takes its share of the pool and no more, and is never given up', async () => {
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

it('What is read for events is read once for all who ask before its turn, and again for whoever asks later', async () => {
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
  const asked = asEvent(semaphore, 'ana', () => ['a', 'b', 'b', 'x'].map((key) => ask(key)));
  const statuses = (await Promise.allSettled(asked)).map(({ status }) => status);
  expect(statuses).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
  expect(await asEvent(semaphore, 'ana', () => ask('b'))).toBe('B');
  expect(reads).toEqual([['a', 'b', 'x'], ['b']]);
});
