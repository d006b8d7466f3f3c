import { type DayNumber } from './day.js';
import { isEveryDay, type Schedule, type Weekday } from './schedule.js';
import type { PeriodTarget } from './target.js';
import { type AmountOfDay, type NeutralDays, type Unit, Units } from './units.js';

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
export class Lens extends Units {
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
    const reachedOn = (days: number) =>
      this.endAfter({ first: lastKept, last: lastKept }, nextKept + 1, days)?.first ??
      Number.POSITIVE_INFINITY;
    const due = reachedOn(schedule.days);
    // A day that is kept is not neutral, and may be the last that was missing.
    const isDueThen = due > nextKept && this.neutral.has(nextKept) && reachedOn(schedule.days - 1) < nextKept;
    return isDueThen ? nextKept : due;
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
