let ahead = 0;

/** In milliseconds: how far the service's clock is surely ahead of this device's. */
export const clockIsAhead = (): number => ahead;

/** By the clock of the service, which says what day it is. */
export const now = (): number => Date.now() + ahead;

/** When a tap was made, by the clock of the service. None is of the future: the device's clock was fast then. */
export const momentOf = (at: number): number => Math.min(at, Date.now()) + ahead;

/** The service names whole seconds, and says them at some time between the question and its answer. */
export function compareClocks(asked: number, there: number, received: number): void {
  if (Number.isNaN(there)) return;
  if (there < asked - 1_000) ahead = there - asked;
  else ahead = there > received ? there - received : 0;
}
