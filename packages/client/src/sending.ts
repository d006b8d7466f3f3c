// How this package and the page send.

/**
 * In milliseconds: by default a request waits up to 7 s in the service's line, and takes up to 12.5 s more where a
 * password is hashed.
 */
export const PATIENCE = 25_000;

/** At most a hundred taps are allowed; fewer let people know sooner what became of the first ones. */
export const TOGETHER = 20;

/** In milliseconds. A service may count nothing of the past: a tap that has just been made counts when it arrives. */
export const JUST_NOW = 60_000;

/** In milliseconds: by so much the clock of the device was set since it was last compared. */
export const CLOCK_NEWS = 1_500;
