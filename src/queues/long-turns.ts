import { setImmediate } from 'node:timers/promises';

const TURNS = 20;

/**
 * To be called after a turn of the event loop that took long. Node accepts one connection in each turn: with nothing
 * but long ones, a hundred people who arrive together would wait for a hundred of them.
 */
export async function letOthersIn(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await setImmediate();
}
