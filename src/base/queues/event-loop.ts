import { setImmediate } from 'node:timers/promises';

const TURNS = 20;

/**
 * To be called after a turn of the event loop that took long. Node accepts one connection in each turn: with nothing
 * but long ones, a hundred people who arrive together would wait for a hundred of them.
 */
export async function yieldToOthers(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await setImmediate();
}

const LONG_TICK_MS = 10;

/** Maps, and lets others in whenever it has taken long. */
export async function mapYielding<From, To>(
  items: Iterable<From>,
  change: (item: From) => To,
): Promise<To[]> {
  const changed: To[] = [];
  let since = performance.now();
  for (const item of items) {
    if (performance.now() - since > LONG_TICK_MS) {
      await yieldToOthers();
      since = performance.now();
    }
    changed.push(change(item));
  }
  return changed;
}
