import { vi } from 'vitest';

/** A busy machine may need more than the second that vitest gives by itself. */
export const eventually = <T>(condition: () => T | Promise<T>) =>
  vi.waitUntil(condition, { timeout: 20_000, interval: 10 });
