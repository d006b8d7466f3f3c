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
 * day counts before another; only tasks that are due every day and were never rested from have the same in SQL
 * (`runColumns`), so that completing one is a single statement.
 */
export class Lens {
  constructor(
    readonly schedule: Schedule,
    readonly neutral: NeutralDays,
    readonly weekStartsOn: Weekday,
  ) {}

  /** Then only the day before counts before another. */
  get isOfEveryDay(): boolean {
    const { schedule, neutral } = this;
    return schedule.kind === 'weekdays' && schedule.weekdays.length === WEEKDAYS.length && neutral.isNone;
  }

  unitAround(day: DayNumber): Unit {
    const { schedule, weekStartsOn } = this;
    return schedule.kind === 'times'
      ? periodAround(day, schedule.per, weekStartsOn)
      : { first: day, last: day };
  }

  /** The unit by which a run ends unless it, or one before it, is kept. Null while nothing can end it. */
  endAfter(kept: Unit): Unit | null {
    let left = this.schedule.kind === 'every' ? this.schedule.days : 1;
    for (let day = kept.last + 1; ; ) {
      const unit = this.unitAround(day);
      const neutralTo = this.neutral.endFrom(unit.first) ?? Number.NEGATIVE_INFINITY;
      if (neutralTo === Number.POSITIVE_INFINITY) return null;
      if (neutralTo >= unit.last) {
        day = this.unitAround(neutralTo + 1).first;
        continue;
      }
      if (this.asksOn(day)) left -= 1;
      if (left === 0) return unit;
      day = unit.last + 1;
    }
  }

  /** The latest run, from all kept days, oldest first; or from a run, and those from its last unit on. */
  runOf(keptDays: readonly DayNumber[], before?: Run): Run {
    const run = before ? { ...before, count: before.count - 1 } : { ...NO_RUN };
    let end: Unit | null | undefined = before ? null : undefined;
    for (const unit of this.keptUnits(keptDays)) {
      const goesOn = end === null || (end !== undefined && unit.first <= end.first);
      if (!goesOn) Object.assign(run, { startedOn: unit.firstKept, count: 0 });
      run.lastDay = unit.lastKept;
      run.count += 1;
      run.longest = Math.max(run.longest, run.count);
      end = this.endAfter(unit);
    }
    return run;
  }

  /** What days did to the run, from the kept days, oldest first. Days without an effect are left out. */
  effectsOf(keptDays: readonly DayNumber[], today: DayNumber): Map<DayNumber, StreakEffect> {
    const effects = new Map<DayNumber, StreakEffect>();
    let end: Unit | null | undefined;
    for (const unit of this.keptUnits(keptDays)) {
      const isBroken = end && unit.first > end.first;
      if (end && isBroken) effects.set(end.last, 'BROKEN');
      effects.set(unit.reachedOn, end === undefined || isBroken ? 'STARTED' : 'CONTINUED');
      end = this.endAfter(unit);
    }
    if (end && end.last < today) effects.set(end.last, 'BROKEN');
    return effects;
  }

  /** Whether the schedule asks for the task on a day, by what was kept before. */
  isDueOn(day: DayNumber, before: { lastKept: DayNumber | null; keptInPeriod: number }): boolean {
    if (this.schedule.kind === 'times') return before.keptInPeriod < this.schedule.times;
    if (this.schedule.kind === 'weekdays' || before.lastKept === null) return this.asksOn(day);
    const due = this.endAfter({ first: before.lastKept, last: before.lastKept });
    return due !== null && due.first <= day;
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
