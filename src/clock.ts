/** Everything reads the time here, so that tests can set it and one reading serves a whole request. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const INSTANT = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/;

/** `Date` would read February 30th as March 2nd, and PostgreSQL has no year 0. */
export function isRealDay(day: string): boolean {
  const start = new Date(`${day}T00:00:00Z`);
  return (
    DAY.test(day) && !Number.isNaN(start.getTime()) && start.toISOString().startsWith(day) && day >= '0001'
  );
}

/** An instant with a time zone. Undefined if the text is not one, or the day does not exist. */
export function instantIn(text: string): Date | undefined {
  const day = INSTANT.exec(text)?.[1];
  const instant = new Date(text);
  return day && isRealDay(day) && !Number.isNaN(instant.getTime()) ? instant : undefined;
}
