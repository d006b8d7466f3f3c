import { dayOf } from '../../base/clock.js';

/** A calendar day: `2026-11-21`. */
export type Day = string;

const HOUR = 60 * 60 * 1_000;
const DAY = 24 * HOUR;

export { dayOf };

/** The earliest day that an instant is of for anybody: by wall clocks of all zones, less the hours until a day begins. */
export const earliestDayAt = (instant: Date): Day => dayOf(new Date(instant.getTime() - 18 * HOUR));

/** The latest such day. */
export const latestDayAt = (instant: Date): Day => dayOf(new Date(instant.getTime() + 14 * HOUR));

/** Whether an instant is of that day for anybody. */
export const isDayOf = (instant: Date, day: Day): boolean =>
  day >= earliestDayAt(instant) && day <= latestDayAt(instant);

export const startOf = (day: Day): Date => new Date(`${day}T00:00:00.000Z`);

export const daysAfter = (day: Day, count: number): Day =>
  dayOf(new Date(startOf(day).getTime() + count * DAY));

/** The number of days from `first` to `last`; negative if `last` is earlier. */
export const daysBetween = (first: Day, last: Day): number =>
  Math.round((startOf(last).getTime() - startOf(first).getTime()) / DAY);

/** A day as its number since 1970, so that days can be counted. */
export type DayNumber = number;

const FIRST: Day = '1970-01-01';

export const numberOf = (day: Day): DayNumber => daysBetween(FIRST, day);

export const dayAt = (number: DayNumber): Day => daysAfter(FIRST, number);

/** Monday is 0. The first of January 1970 was a Thursday. */
export const weekdayOf = (day: DayNumber): number => (((day + 3) % 7) + 7) % 7;
