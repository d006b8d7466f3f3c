import type { NeutralDays } from './neutral-days.js';
import {
  type DayNumber,
  periodAround,
  type Schedule,
  WEEKDAYS,
  type Weekday,
  weekdayOf,
} from './schedule.js';

/** What a run is made of: kept days; with a number of times per week or month, kept periods. */
export interface Unit {
  first: DayNumber;
  last: DayNumber;
}

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

/**
 * How a history is read: by the schedule of now, whatever it was before. Everything that knows of runs asks here which
 * day counts before another. Only a run without gaps, and without a rest after it, is continued in SQL
 * (`runAdvancedTo`), so that completing a task is a single statement.
 */
export class Lens {
  constructor(
    readonly schedule: Schedule,
    readonly neutral: NeutralDays,
    readonly weekStartsOn: Weekday,
  ) {}

  get isEveryDay(): boolean {
    return this.schedule.kind === 'weekdays' && this.schedule.weekdays.length === WEEKDAYS.length;
  }

  /** Then only the day before counts before another. */
  get countsDayByDay(): boolean {
    return this.isEveryDay && this.neutral.isNone;
  }

  unitAround(day: DayNumber): Unit {
    const { schedule, weekStartsOn } = this;
    return schedule.kind === 'times'
      ? periodAround(day, schedule.per, weekStartsOn)
      : { first: day, last: day };
  }

  /**
   * The unit by which a run ends unless it, or one before it, is kept. Null while nothing can end it, or nothing before
   * a day: whoever knows the next kept one gives it, so that a history is walked once and not from each day to its end.
   */
  endAfter(
    kept: Unit,
    before: DayNumber = Number.POSITIVE_INFINITY,
    allowed = this.schedule.kind === 'every' ? this.schedule.days : 1,
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
        if (this.asksOn(day)) return unit;
        day = unit.last + 1;
      }
    }
    return null;
  }

  /** The latest run, from all kept days, oldest first; or from a run, and those from its last unit on. */
  runOf(keptDays: readonly DayNumber[], known?: Run): Run {
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
  effectsOf(keptDays: readonly DayNumber[], today: DayNumber): Map<DayNumber, StreakEffect> {
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
    const reachedOn = (days: number) =>
      this.endAfter({ first: lastKept, last: lastKept }, nextKept + 1, days)?.first ??
      Number.POSITIVE_INFINITY;
    const due = reachedOn(schedule.days);
    // A day that is kept is not neutral, and may be the last that was missing.
    const isDueThen = due > nextKept && this.neutral.has(nextKept) && reachedOn(schedule.days - 1) < nextKept;
    return isDueThen ? nextKept : due;
  }

  /** Whether the schedule asks for the task on a day, by what was kept before: see `dueAfter`. */
  isDueOn(day: DayNumber, before: { dueFrom: DayNumber; keptInPeriod: number }): boolean {
    if (this.schedule.kind === 'times') return before.keptInPeriod < this.schedule.times;
    return this.asksOn(day) && day >= before.dueFrom;
  }

  /** How many kept days a period needs: none if all of its days are neutral. `kept`: those that are in it. */
  neededIn({ first, last }: Unit, kept: readonly DayNumber[]): number {
    if (this.schedule.kind !== 'times') return 1;
    let days = 0;
    for (let day = first; day <= last; day += 1) if (!this.neutral.has(day)) days += 1;
    days += kept.filter((day) => this.neutral.has(day)).length;
    return Math.min(this.schedule.times, days);
  }

  /** A unit by the days in it that were kept, oldest first; undefined if these are too few. */
  private keptUnit(unit: Unit, kept: readonly DayNumber[]): KeptUnit | undefined {
    const needed = this.neededIn(unit, kept);
    const [firstKept, reachedOn, lastKept] = [kept[0], kept[needed - 1], kept.at(-1)];
    if (firstKept === undefined || reachedOn === undefined || lastKept === undefined) return undefined;
    return { ...unit, firstKept, lastKept, reachedOn };
  }

  private *keptUnits(keptDays: readonly DayNumber[]): Generator<KeptUnit> {
    for (let index = 0; index < keptDays.length; ) {
      const unit = this.unitAround(keptDays[index] as DayNumber);
      let next = index + 1;
      while ((keptDays[next] ?? Number.POSITIVE_INFINITY) <= unit.last) next += 1;
      const kept = this.keptUnit(unit, keptDays.slice(index, next));
      if (kept) yield kept;
      index = next;
    }
  }

  private asksOn(day: DayNumber): boolean {
    const { schedule } = this;
    return schedule.kind !== 'weekdays' || schedule.weekdays.includes(WEEKDAYS[weekdayOf(day)] as Weekday);
  }
}
