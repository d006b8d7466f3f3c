import type { DayNumber } from './schedule.js';

interface Range {
  first: DayNumber;
  /** Infinity without an end. */
  last: DayNumber;
}

/** A skip is a range of one day. */
export interface Rest extends Range {
  kind: 'SKIPPED' | 'PAUSED';
  /** Of a skip. */
  note?: string | null;
}

/** Days that were skipped or lie in a pause. Whether something was done on one all the same is not known here. */
export class NeutralDays {
  private readonly ranges: Range[] = [];

  /** With the note on each. */
  private readonly skipped = new Map<DayNumber, string | null>();

  constructor(rests: readonly Rest[] = []) {
    for (const { first, last, kind, note } of [...rests].sort((a, b) => a.first - b.first)) {
      if (kind === 'SKIPPED') this.skipped.set(first, note ?? null);
      const before = this.ranges.at(-1);
      if (before && first <= before.last + 1) before.last = Math.max(before.last, last);
      else this.ranges.push({ first, last });
    }
  }

  /** The end of the neutral days that a day is among: Infinity without an end, undefined if it is none. */
  endFrom(day: DayNumber): DayNumber | undefined {
    const range = this.ranges[this.indexFrom(day)];
    return range && range.first <= day ? range.last : undefined;
  }

  get isNone(): boolean {
    return this.ranges.length === 0;
  }

  /** The first of the neutral days after one that is none: Infinity if there are no more. */
  nextAfter(day: DayNumber): DayNumber {
    return this.ranges[this.indexFrom(day)]?.first ?? Number.POSITIVE_INFINITY;
  }

  has(day: DayNumber): boolean {
    return this.endFrom(day) !== undefined;
  }

  hasAfter(day: DayNumber): boolean {
    return (this.ranges.at(-1)?.last ?? Number.NEGATIVE_INFINITY) > day;
  }

  kindOf(day: DayNumber): Rest['kind'] | undefined {
    if (this.skipped.has(day)) return 'SKIPPED';
    return this.has(day) ? 'PAUSED' : undefined;
  }

  noteOn(day: DayNumber): string | null {
    return this.skipped.get(day) ?? null;
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
