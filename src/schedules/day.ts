/** A UTC calendar day: `2026-11-21`. */
export type Day = string;

const DAY = 24 * 60 * 60 * 1_000;

export const dayOf = (instant: Date): Day => instant.toISOString().slice(0, 10);

export const startOf = (day: Day): Date => new Date(`${day}T00:00:00.000Z`);

export const daysAfter = (day: Day, count: number): Day =>
  dayOf(new Date(startOf(day).getTime() + count * DAY));

/** The number of days from `first` to `last`; negative if `last` is earlier. */
export const daysBetween = (first: Day, last: Day): number =>
  Math.round((startOf(last).getTime() - startOf(first).getTime()) / DAY);
