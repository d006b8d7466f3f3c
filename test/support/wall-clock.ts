export const HOUR = 60 * 60 * 1_000;
export const DAY = 24 * HOUR;

const clocks = new Map<string, Intl.DateTimeFormat>();

/** What the clock on the wall shows there, as if that were UTC: by JavaScript's time zones, not by PostgreSQL's. */
function wallClock(at: Date, timeZone: string): Date {
  const known = clocks.get(timeZone);
  const clock =
    known ??
    new Intl.DateTimeFormat('en-US', {
      ...{ timeZone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
      ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
    });
  clocks.set(timeZone, clock);
  const shown = Object.fromEntries(clock.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 0, day = 0, hour, minute, second } = shown;
  return new Date(Date.UTC(year, month - 1, day, hour, minute, second));
}

/** How a user's days are cut. */
export interface DayCut {
  timeZone: string;
  dayStartsAt: number;
}

/** The user's day at an instant, as a whole number, so that nothing is shared with the arithmetic that is tested. */
export function userDayAt(at: Date, { timeZone, dayStartsAt }: DayCut): number {
  return Math.floor((wallClock(at, timeZone).getTime() - dayStartsAt * HOUR) / DAY);
}

/** Looked for on the wall clock, a quarter of an hour after the other. */
export function beginningOf(day: number, cut: DayCut): Date {
  let at = new Date(day * DAY - 15 * HOUR);
  while (userDayAt(at, cut) !== day) at = new Date(at.getTime() + HOUR / 4);
  return at;
}
