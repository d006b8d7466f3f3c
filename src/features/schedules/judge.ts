import { type DayNumber, weekdayOf } from './day.js';
import { isEveryDay, type Period, periodAround, type Schedule, WEEKDAYS, type Weekday } from './schedule.js';
import type { PeriodTarget } from './target.js';

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

/** A unit whose goal was reached, with the day on which it was. */
interface KeptUnit extends Unit {
  firstKept: DayNumber;
  lastKept: DayNumber;
  reachedOn: DayNumber;
}

/** The latest run, and the most units that one ever had. */
export interface Run {
  startedOn: DayNumber | null;
  lastDay: DayNumber | null;
  count: number;
  longest: number;
}

const NO_RUN: Run = { startedOn: null, lastDay: null, count: 0, longest: 0 };

export const StreakEffect = {
  NONE: 'NONE',
  STARTED: 'STARTED',
  CONTINUED: 'CONTINUED',
  BROKEN: 'BROKEN',
} as const;
export type StreakEffect = keyof typeof StreakEffect;

/** What a period has so far. */
export const doneIn = (kept: readonly AmountOfDay[]) => ({
  keptInPeriod: kept.length,
  amountInPeriod: kept.reduce((sum, { amount }) => sum + amount, 0),
});

/**
 * How a history is read: by the schedule of now, whatever it was before. Everything that knows of runs asks here which
 * day counts before another. Only a run without gaps, and without a rest after it, is continued in SQL
 * (`runAdvancedTo`), so that completing a task is a single statement.
 */
export class Judge extends Units {
  constructor(
    schedule: Schedule,
    neutral: NeutralDays,
    weekStartsOn: Weekday,
    /** Then a day on which something was done is kept, and what counts is the period. */
    readonly target: PeriodTarget | null = null,
  ) {
    const period = schedule.kind === 'times' ? schedule.per : (target?.per ?? null);
    super(schedule, neutral, weekStartsOn, period);
  }

  get isEveryDay(): boolean {
    return !this.target && isEveryDay(this.schedule);
  }

  /** Then only the day before counts before another. */
  get countsDayByDay(): boolean {
    return this.isEveryDay && this.neutral.isNone;
  }

  /**
   * The unit by which a run ends unless it, or one before it, is kept. Null while nothing can end it, or nothing before
   * a day: whoever knows the next kept one gives it, so that a history is walked once and not from each day to its end.
   */
  endAfter(
    kept: Unit,
    before: DayNumber = Number.POSITIVE_INFINITY,
    allowed = this.schedule.kind === 'every' ? this.schedule.days + this.schedule.grace : 1,
  ): Unit | null {
    let left = allowed;
    for (let day = kept.last + 1; day < before; ) {
      const unit = this.unitAround(day);
      const neutralTo = this.neutral.endFrom(unit.first) ?? Number.NEGATIVE_INFINITY;
      if (neutralTo === Number.POSITIVE_INFINITY) return null;
      if (neutralTo >= unit.last) {
        day = this.unitAround(neutralTo + 1).first;
        continue;
      }
      if (this.schedule.kind === 'every') {
        const asked = Math.min(left, this.neutral.nextAfter(day) - day);
        left -= asked;
        day += asked;
        if (left === 0) return day > before ? null : { first: day - 1, last: day - 1 };
      } else {
        if (this.isOfSchedule(day)) return unit;
        day = unit.last + 1;
      }
    }
    return null;
  }

  /** The latest run, from all kept days, oldest first; or from a run, and those from its last unit on. */
  runOf(keptDays: readonly AmountOfDay[], known?: Run): Run {
    const run = known ? { ...known, count: known.count - 1 } : { ...NO_RUN };
    let before: Unit | undefined;
    for (const unit of this.keptUnits(keptDays)) {
      const goesOn = before ? this.endAfter(before, unit.first) === null : known !== undefined;
      if (!goesOn) Object.assign(run, { startedOn: unit.firstKept, count: 0 });
      run.lastDay = unit.lastKept;
      run.count += 1;
      run.longest = Math.max(run.longest, run.count);
      before = unit;
    }
    return run;
  }

  /** What days did to the run, from the kept days, oldest first. Days without an effect are left out. */
  effectsOf(keptDays: readonly AmountOfDay[], today: DayNumber): Map<DayNumber, StreakEffect> {
    const effects = new Map<DayNumber, StreakEffect>();
    let before: Unit | undefined;
    for (const unit of this.keptUnits(keptDays)) {
      const end = before && this.endAfter(before, unit.first);
      if (end && end.last < today) effects.set(end.last, 'BROKEN'); // after travel westwards, kept days may lie ahead
      effects.set(unit.reachedOn, end === null ? 'CONTINUED' : 'STARTED');
      before = unit;
    }
    const end = before && this.endAfter(before, today);
    if (end && end.last < today) effects.set(end.last, 'BROKEN');
    return effects;
  }

  /** The day from which on it is due again after it was last kept, unless that is after it was kept next. */
  dueAfter(lastKept: DayNumber | null, nextKept: DayNumber = Number.POSITIVE_INFINITY): DayNumber {
    const { schedule } = this;
    if (schedule.kind !== 'every' || lastKept === null) return Number.NEGATIVE_INFINITY;
    const reachedOn = (days: number) => this.dayReached(days, lastKept, nextKept);
    const due = reachedOn(schedule.days);
    // A day that is kept is not neutral, and may be the last that was missing.
    const isDueThen = due > nextKept && this.neutral.has(nextKept) && reachedOn(schedule.days - 1) < nextKept;
    return isDueThen ? nextKept : due;
  }

  /** The day from which on it is late: with a day of grace, the one after that from which on it is due. */
  lateAfter(lastKept: DayNumber | null, nextKept?: DayNumber): DayNumber {
    const { schedule } = this;
    if (schedule.kind !== 'every' || schedule.grace === 0 || lastKept === null)
      return Number.NEGATIVE_INFINITY;
    return this.dayReached(schedule.days + schedule.grace, lastKept, nextKept ?? Number.POSITIVE_INFINITY);
  }

  private dayReached(days: number, lastKept: DayNumber, nextKept: DayNumber): DayNumber {
    const end = this.endAfter({ first: lastKept, last: lastKept }, nextKept + 1, days);
    return end?.first ?? Number.POSITIVE_INFINITY;
  }

  /** Whether the schedule asks for the task on a day, by what was kept before: see `dueAfter`. */
  isDueOn(
    day: DayNumber,
    before: { dueFrom: DayNumber; keptInPeriod: number; amountInPeriod: number },
  ): boolean {
    if (this.target) return before.amountInPeriod < this.target.amount;
    if (this.schedule.kind === 'times') return before.keptInPeriod < this.schedule.times;
    return this.isOfSchedule(day) && day >= before.dueFrom;
  }

  /**
   * Whether a day on which something was done asks for no more. The last one of a period with a target that is not neutral
   * does so until the target is met. `amountInPeriod`: of the whole period.
   */
  isEnoughOn(day: DayNumber, amountInPeriod: number): boolean {
    if (!this.target || amountInPeriod >= this.target.amount || this.neutral.has(day)) return true;
    const { last } = this.unitAround(day);
    return day < last && (this.neutral.endFrom(day + 1) ?? NONE) < last;
  }

  /**
   * How many kept days a period needs, or whether one with a target counts: none if all of its days are neutral.
   * `kept`: those that are in it.
   */
  private neededIn({ first, last }: Unit, kept: readonly AmountOfDay[]): number {
    if (this.target) return this.reaching(kept) || !this.isNeutral({ first, last }) ? 1 : 0;
    if (this.schedule.kind !== 'times') return 1;
    let days = 0;
    for (let day = first; day <= last; day += 1) if (!this.neutral.has(day)) days += 1;
    days += kept.filter(({ day }) => this.neutral.has(day)).length;
    return Math.min(this.schedule.times, days);
  }

  /** What a period asks for, which may be nothing, and what of it was done: in kept days, or thousandths of a target. */
  goalIn(unit: Unit, kept: readonly AmountOfDay[]) {
    const { keptInPeriod, amountInPeriod } = doneIn(kept);
    const needed = this.neededIn(unit, kept);
    const [goal, done] = this.target ? [needed * this.target.amount, amountInPeriod] : [needed, keptInPeriod];
    return { goal, done, isKept: goal > 0 && done >= goal };
  }

  private reaching(kept: readonly AmountOfDay[]): AmountOfDay | undefined {
    let sum = 0;
    return kept.find(({ amount }) => {
      sum += amount;
      return sum >= (this.target?.amount ?? 0);
    });
  }

  /** A unit by the days in it that were kept, oldest first; undefined if these are too few. */
  private keptUnit(unit: Unit, kept: readonly AmountOfDay[]): KeptUnit | undefined {
    const reached = this.target ? this.reaching(kept) : kept[this.neededIn(unit, kept) - 1];
    const [first, last] = [kept[0], kept.at(-1)];
    if (!first || !reached || !last) return undefined;
    return { ...unit, firstKept: first.day, lastKept: last.day, reachedOn: reached.day };
  }

  private *keptUnits(keptDays: readonly AmountOfDay[]): Generator<KeptUnit> {
    for (let index = 0; index < keptDays.length; ) {
      const unit = this.unitAround((keptDays[index] as AmountOfDay).day);
      let next = index + 1;
      while ((keptDays[next]?.day ?? Number.POSITIVE_INFINITY) <= unit.last) next += 1;
      const kept = this.keptUnit(unit, keptDays.slice(index, next));
      if (kept) yield kept;
      index = next;
    }
  }
}
