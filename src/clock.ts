/** The one reader of the time, so that tests can set it and one reading serves a whole request. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };
