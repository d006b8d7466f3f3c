import { type DayNumber, weekdayOf } from './day.js';

export const Weekday = {
  MONDAY: 'MONDAY',
  TUESDAY: 'TUESDAY',
  WEDNESDAY: 'WEDNESDAY',
  THURSDAY: 'THURSDAY',
  FRIDAY: 'FRIDAY',
  SATURDAY: 'SATURDAY',
  SUNDAY: 'SUNDAY',
} as const;
export type Weekday = keyof typeof Weekday;

export const WEEKDAYS = Object.keys(Weekday) as Weekday[];

export const Period = { WEEK: 'WEEK', MONTH: 'MONTH' } as const;
export type Period = keyof typeof Period;

/** When a task is due. Exactly one of the three. */
export type Schedule =
  | { kind: 'weekdays'; weekdays: readonly Weekday[] }
  /** A run goes on over so many days, and with a day of grace over one more. */
  | { kind: 'every'; days: number; grace: 0 | 1 }
  | { kind: 'times'; times: number; per: Period };

export const EVERY_DAY: Schedule = { kind: 'weekdays', weekdays: WEEKDAYS };

export const isEveryDay = (schedule: Schedule): boolean =>
  schedule.kind === 'weekdays' && schedule.weekdays.length === WEEKDAYS.length;

/** Monday first. */
export const bitsOf = (weekdays: readonly Weekday[]): number =>
  weekdays.reduce((sum, name) => sum | (1 << WEEKDAYS.indexOf(name)), 0);

export const weekdaysIn = (bits: number): Weekday[] => WEEKDAYS.filter((_, index) => bits & (1 << index));

/** As it is stored: nothing for every day, which is the schedule of most tasks. */
export interface StoredSchedule {
  /** As `bitsOf`. */
  weekdays: number | null;
  everyDays: number | null;
  times: number | null;
  period: Period | null;
  /** Of an interval: whether one day late is in time. */
  hasGraceDay: boolean;
}

export const NO_SCHEDULE: StoredSchedule = {
  ...{ weekdays: null, everyDays: null, times: null, period: null },
  hasGraceDay: false,
};

/** By which days are judged: what comes to every day is that. */
export function scheduleOf({ weekdays, everyDays, times, period, hasGraceDay }: StoredSchedule): Schedule {
  if (weekdays !== null) return { kind: 'weekdays', weekdays: weekdaysIn(weekdays) };
  if (everyDays !== null)
    return everyDays === 1 ? EVERY_DAY : { kind: 'every', days: everyDays, grace: hasGraceDay ? 1 : 0 };
  if (times !== null && period !== null) return { kind: 'times', times, per: period };
  return EVERY_DAY;
}

/** The first and the last day of the week or month that a day is in. */
export function periodAround(
  day: DayNumber,
  per: Period,
  weekStartsOn: Weekday,
): { first: DayNumber; last: DayNumber } {
  if (per === 'WEEK') {
    const first = day - ((weekdayOf(day) - WEEKDAYS.indexOf(weekStartsOn) + 7) % 7);
    return { first, last: first + 6 };
  }
  // Not Date.UTC, which takes a year before 100 for one of the twentieth century.
  const next = new Date(day * 86_400_000);
  const first = day - next.getUTCDate() + 1;
  next.setUTCMonth(next.getUTCMonth() + 1, 1);
  return { first, last: next.getTime() / 86_400_000 - 1 };
}
