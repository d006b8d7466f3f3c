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

let turn = 0;

/** As many as CHOSEN_PIECES says, each time others. */
export function someOf<T>(all: T[]): T[] {
  const count = Number(process.env.CHOSEN_PIECES ?? all.length);
  turn += count;
  return Array.from({ length: count }, (_, index) => all[(turn + index) % all.length] as T);
}
