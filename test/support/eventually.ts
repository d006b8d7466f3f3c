import { vi } from 'vitest';

/** Ends with its test, not before: a busy machine may need longer than anybody would wait at a quiet one. */
export const eventually = <T>(condition: () => T | Promise<T>) =>
  vi.waitUntil(condition, { timeout: 250_000, interval: 10 });
