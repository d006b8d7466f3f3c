import { type DayNumber, weekdayOf } from './day.js';
import { type Period, periodAround, type Schedule, WEEKDAYS, type Weekday } from './schedule.js';

interface Range {
  first: DayNumber;
  /** Infinity without an end. */
  last: DayNumber;
}

/** A skip is a range of one day. */
export interface Rest extends Range {
  kind: 'SKIPPED' | 'PAUSED';
}

/** Days that were skipped or lie in a pause. Whether something was done on one all the same is not known here. */
export class NeutralDays {
  private readonly ranges: Range[] = [];
  private readonly skipped = new Set<DayNumber>();

  /** `ofAll`: the days on which everything is paused. Many tasks share them, so they are neither copied nor sorted anew. */
  constructor(
    rests: readonly Rest[] = [],
    private readonly ofAll?: NeutralDays,
  ) {
    for (const { first, last, kind } of [...rests].sort((a, b) => a.first - b.first)) {
      if (kind === 'SKIPPED') this.skipped.add(first);
      const before = this.ranges.at(-1);
      if (before && first <= before.last + 1) before.last = Math.max(before.last, last);
      else this.ranges.push({ first, last });
    }
  }

  /** The end of the neutral days that a day is among: Infinity without an end, undefined if it is none. */
  endFrom(day: DayNumber): DayNumber | undefined {
    let end: DayNumber | undefined;
    for (;;) {
      const next = end === undefined ? day : end + 1;
      const further = Math.max(this.ownEndFrom(next), this.ofAll?.ownEndFrom(next) ?? NONE);
      if (further === NONE) return end;
      end = further;
      if (end === Number.POSITIVE_INFINITY) return end;
    }
  }

  get isNone(): boolean {
    return this.ranges.length === 0 && (this.ofAll?.isNone ?? true);
  }

  /** The first of the neutral days after one that is none: Infinity if there are no more. */
  nextAfter(day: DayNumber): DayNumber {
    const own = this.ranges[this.indexFrom(day)]?.first ?? Number.POSITIVE_INFINITY;
    return Math.min(own, this.ofAll?.nextAfter(day) ?? Number.POSITIVE_INFINITY);
  }

  has(day: DayNumber): boolean {
    return this.ownEndFrom(day) !== NONE || (this.ofAll?.has(day) ?? false);
  }

  hasAfter(day: DayNumber): boolean {
    return (this.ranges.at(-1)?.last ?? NONE) > day || (this.ofAll?.hasAfter(day) ?? false);
  }

  kindOf(day: DayNumber): Rest['kind'] | undefined {
    if (this.skipped.has(day)) return 'SKIPPED';
    return this.has(day) ? 'PAUSED' : undefined;
  }

  private ownEndFrom(day: DayNumber): DayNumber {
    const range = this.ranges[this.indexFrom(day)];
    return range && range.first <= day ? range.last : NONE;
  }

  /** The index of the first range that ends on the day or later. */
  private indexFrom(day: DayNumber): number {
    let [low, high] = [0, this.ranges.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.ranges[middle]?.last ?? 0) < day) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const NONE = Number.NEGATIVE_INFINITY;

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

/** As it is read: without a note, which is long and concerns no run. */
export interface RestRow extends Pick<Rest, 'kind' | 'first'> {
  last: number | null;
}

/** The skips and pauses of a task alone. */
export interface RestsOfTask {
  id: number;
  rests: readonly RestRow[] | null;
}

/** The days on which some tasks rest, each by itself or with all others. */
export class Rests {
  private readonly ofAll: NeutralDays;
  private readonly ofTasks: ReadonlyMap<number, readonly RestRow[] | null>;

  constructor(ofAll?: readonly RestRow[] | null, ofTasks?: readonly RestsOfTask[] | null) {
    this.ofAll = new NeutralDays(restsIn(ofAll));
    this.ofTasks = new Map(ofTasks?.map(({ id, rests }) => [id, rests]));
  }

  of(taskId: number): NeutralDays {
    const own = this.ofTasks.get(taskId);
    return own ? new NeutralDays(restsIn(own), this.ofAll) : this.ofAll;
  }

  ofUser(): NeutralDays {
    return this.ofAll;
  }
}

const restsIn = (rows: readonly RestRow[] | null = []): Rest[] =>
  (rows ?? []).map(({ last, ...rest }) => ({ ...rest, last: last ?? Number.POSITIVE_INFINITY }));
