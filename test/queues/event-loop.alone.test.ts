import { expect, it } from 'vitest';
import { mapYielding } from '../../src/base/queues/event-loop.js';

it('Work that takes long lets others in between', async () => {
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const seen = await mapYielding([1, 2, 3], (item) => {
    for (const since = performance.now(); performance.now() - since < 12; );
    return { item, turns };
  });
  isDone = true;
  expect(seen.map(({ item }) => item)).toEqual([1, 2, 3]);
  const [first, second, third] = seen.map((each) => each.turns);
  expect(first).toBe(0);
  expect(second).toBeGreaterThan(0);
  expect(third).toBeGreaterThan(second ?? 0);
});
