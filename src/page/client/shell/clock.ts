import { ServiceClock } from '../../../../packages/client/src/clock.js';

const clock = new ServiceClock();

/** In milliseconds: how far the service's clock is surely ahead of this device's. */
export const clockIsAhead = (): number => clock.isAhead;

/** By the clock of the service, which says what day it is. */
export const now = (): number => clock.now();

/** When a tap was made, by the clock of the service. */
export const momentOf = (at: number): number => clock.momentOf(at);

export const compareClocks = (asked: number, there: number, received: number): void =>
  clock.compare(asked, there, received);
