import type { NeutralDays } from './neutral-days.js';
import {
  type DayNumber,
  type Period,
  periodAround,
  type Schedule,
  WEEKDAYS,
  type Weekday,
  weekdayOf,
} from './schedule.js';

/** What a run is made of: days, or where periods count weeks or months. */
export interface Unit {
  first: DayNumber;
  last: DayNumber;
}

/** What was done on a day, in thousandths. */
export interface AmountOfDay {
  day: DayNumber;
  amount: number;
}

/** How days are cut into units, and which of them ask for nothing. */
export abstract class Units {
  protected readonly weekdays: readonly boolean[];

  constructor(
    readonly schedule: Schedule,
    readonly neutral: NeutralDays,
    readonly weekStartsOn: Weekday,
    /** The weeks or months that a run is made of; null where it is made of days. */
    readonly period: Period | null,
  ) {
    const asked: readonly Weekday[] = schedule.kind === 'weekdays' ? schedule.weekdays : WEEKDAYS;
    this.weekdays = WEEKDAYS.map((name) => asked.includes(name));
  }

  unitAround(day: DayNumber): Unit {
    const { period, weekStartsOn } = this;
    return period ? periodAround(day, period, weekStartsOn) : { first: day, last: day };
  }

  isOfSchedule(day: DayNumber): boolean {
    return this.weekdays[weekdayOf(day)] ?? false;
  }

  protected isNeutral({ first, last }: Unit): boolean {
    return (this.neutral.endFrom(first) ?? Number.NEGATIVE_INFINITY) >= last;
  }
}
