import { expect } from 'vitest';

/** In milliseconds of CPU of this process, which depends less on the rest of the machine than time does. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** Expects `work` to take less CPU than `limit`. It is done again if it does not: garbage may have been collected. */
export async function expectCheap(work: () => Promise<unknown>, limit: number, what: string): Promise<void> {
  const cost = await cpuOf(work);
  expect(cost < limit ? cost : await cpuOf(work), what).toBeLessThan(limit);
}
