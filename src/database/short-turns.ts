import { setImmediate } from 'node:timers/promises';

const SHORT_TURNS = 20;

/**
 * To be called between long turns of the event loop. Node accepts one connection in each turn: with nothing but long
 * ones, a hundred people who arrive together would wait for a hundred of them.
 */
export async function takeShortTurns(): Promise<void> {
  for (let turn = 0; turn < SHORT_TURNS; turn += 1) await setImmediate();
}
