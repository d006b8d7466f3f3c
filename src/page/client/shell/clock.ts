import { serviceClock } from '../../../../packages/client/src/clock.js';

/** That of the service, which says what day it is. */
export const clock = serviceClock();

export const { now, momentOf } = clock;
