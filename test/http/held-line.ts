import { onTestFinished, vi } from 'vitest';
import { parsedFairly } from '../../src/http/body.js';

/** In bytes. */
export const LARGE = 20_000;

/** A large body of somebody has just been parsed: nobody else's is until the answer is called, or the test is over. */
export async function heldLine(): Promise<() => void> {
  let goOn = () => {};
  await parsedFairly(LARGE, 'somebody', () => {
    const timers = vi.spyOn(globalThis, 'setTimeout').mockImplementationOnce((release) => {
      goOn = release;
      timers.mockRestore();
      return { unref() {} } as NodeJS.Timeout;
    });
  });
  const once = () => {
    goOn();
    goOn = () => {};
  };
  onTestFinished(once);
  return once;
}
