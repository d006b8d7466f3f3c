/** The one reader of the time, so that tests can set it and one reading serves a whole request. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const INSTANT = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/;

/** The runtime would read February 30th as March 2nd, and the database knows no year 0. */
export function isRealDay(day: string): boolean {
  const start = new Date(`${day}T00:00:00Z`);
  return (
    DAY.test(day) && !Number.isNaN(start.getTime()) && start.toISOString().startsWith(day) && day >= '0001'
  );
}

/** A real instant with its zone; undefined for anything else. */
export function instantIn(text: string): Date | undefined {
  const day = INSTANT.exec(text)?.[1];
  const instant = new Date(text);
  return day && isRealDay(day) && !Number.isNaN(instant.getTime()) ? instant : undefined;
}
