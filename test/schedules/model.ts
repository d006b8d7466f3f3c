import {
  type Day,
  type DayState,
  daysOf,
  type Effect,
  EVERY_DAY,
  type Facts,
  isEveryDay,
  Paper,
  type Period,
  type PeriodKind,
  type Streak,
  sum,
  weekdayOf,
} from './paper.js';
import { type Asked, scored } from './score-model.js';

/**
 * What the contract of schedules says of one habit, told day by day as a person would count on paper. Nothing is shared
 * with the code that is tested: days are whole numbers since 1970, amounts and points are in thousandths.
 */

export * from './paper.js';

/** One habit under its schedule of now. */
export class Habit extends Paper {
  protected readonly amountOfOne: number;
  private readonly keptDays: readonly Day[];
  private readonly kept: ReadonlySet<Day>;
  private readonly horizon: Day; // from then on, all days are alike

  constructor(facts: Facts) {
    super({ ...facts, schedule: isEveryDay(facts.schedule) ? EVERY_DAY : facts.schedule });
    this.amountOfOne = facts.per ? 1_000 : (facts.target ?? 0);
    const days = [...new Set(facts.done.map(({ day }) => day))];
    this.keptDays = days.filter((day) => this.reachesGoal(day)).sort((a, b) => a - b);
    this.kept = new Set(this.keptDays);
    const ends = facts.pauses.map(({ from, until }) => until ?? from);
    this.horizon = Math.max(0, ...days, ...facts.skips, ...ends) + 400;
  }

  private amountIn(period: Period): number {
    return sum(daysOf(period).map((day) => this.amountOn(day)));
  }

  /** For a target of a week or month, whatever was done will do. */
  private reachesGoal(day: Day): boolean {
    const { target, per } = this.facts;
    return target === null || per ? this.doneOn(day).length > 0 : this.amountOn(day) >= target;
  }

  /** Of what is kept by period. */
  private get periodKind(): PeriodKind | null {
    const { schedule, per } = this.facts;
    return 'timesPer' in schedule ? schedule.timesPer.period : (per ?? null);
  }

  /** What the present period has of a target. */
  periodAmount(today: Day): number {
    const { per } = this.facts;
    return per ? this.amountIn(this.periodAround(today, per)) : this.amountOn(today);
  }

  isKept(day: Day): boolean {
    return this.kept.has(day);
  }

  /** The last day of a week or month on which its target can be met asks for the rest, whatever was done on it. */
  private isUnmet(day: Day): boolean {
    const { per } = this.facts;
    if (!per) return false;
    const period = this.periodAround(day, per);
    const rests = (each: Day) => this.isSkipped(each) || this.isPaused(each);
    const isLast = !rests(day) && daysOf({ from: day + 1, to: period.to }).every(rests);
    return isLast && !this.reachesTarget(period);
  }

  /** Something was done, and nothing more is asked for on the day. */
  isEnough(day: Day): boolean {
    return this.isKept(day) && !this.isUnmet(day);
  }

  isNeutral(day: Day): boolean {
    return (this.isSkipped(day) || this.isPaused(day)) && !this.isKept(day);
  }

  private keptBefore(day: Day): Day | undefined {
    return this.keptDays.findLast((each) => each < day);
  }

  private notNeutral({ from, to }: Period): number {
    return daysOf({ from, to }).filter((day) => !this.isNeutral(day)).length;
  }

  private keptIn(period: Period): number {
    return daysOf(period).filter((day) => this.isKept(day)).length;
  }

  /** Whether the schedule asks for the task, by what was kept before that day. */
  private isAsked(day: Day): boolean {
    const { schedule, target, per } = this.facts;
    if (per) return this.amountIn({ from: this.periodAround(day, per).from, to: day - 1 }) < (target ?? 0);
    if ('weekdays' in schedule) return schedule.weekdays.includes(weekdayOf(day));
    if ('timesPer' in schedule) {
      const { count, period } = schedule.timesPer;
      const { from } = this.periodAround(day, period);
      return this.keptIn({ from, to: day - 1 }) < count;
    }
    const last = this.keptBefore(day);
    return last === undefined || this.notNeutral({ from: last + 1, to: day }) >= schedule.everyDays;
  }

  /** The day before the last one on which it is in time, once it is over. */
  private isForgiven(day: Day, today: Day): boolean {
    const { schedule } = this.facts;
    const last = this.keptBefore(day);
    const mayBeLate = 'everyDays' in schedule && schedule.hasGraceDay && last !== undefined;
    if (!mayBeLate || day >= today || this.isKept(day)) return false;
    return this.notNeutral({ from: last + 1, to: day }) === schedule.everyDays;
  }

  isDue(day: Day, today = day): boolean {
    return day >= this.facts.made && this.isAsked(day) && !this.isForgiven(day, today);
  }

  /** Whether it counts among what a day asked for. Of a week or month only the last day of its target does. */
  asksOn(day: Day, today: Day): boolean {
    if (this.isEnough(day)) return true;
    if (this.isSkipped(day) || this.isPaused(day)) return false;
    const isAsked = this.isDue(day, today);
    return this.periodKind ? this.doneOn(day).length > 0 || (isAsked && this.isUnmet(day)) : isAsked;
  }

  stateOf(day: Day, today: Day): DayState {
    if (this.isEnough(day)) return 'KEPT';
    if (this.doneOn(day).length > 0) return 'PARTIAL';
    if (this.isSkipped(day)) return 'SKIPPED';
    if (this.isPaused(day)) return 'PAUSED';
    if (day < this.facts.made) return 'REST';
    if (day > today) return 'FUTURE';
    if (!this.isDue(day, today)) return 'REST';
    if (day === today) return 'OPEN';
    return this.periodKind ? 'REST' : 'MISSED';
  }

  /** What `tasks(today: OPEN)` lists. */
  asksForSomething(today: Day): boolean {
    return this.isDue(today) && !this.isEnough(today) && !this.isSkipped(today) && !this.isPaused(today);
  }

  /** Which `tasks(today: …)` list it. */
  standings(today: Day): string[] {
    const isPlanned = this.isDue(today) && !this.isNeutral(today);
    return [
      ...(this.asksForSomething(today) ? ['OPEN'] : []),
      ...(this.isEnough(today) ? ['KEPT'] : []),
      isPlanned ? 'PLANNED' : 'UNPLANNED',
    ];
  }

  /** The first day from today on that would be open if nothing more were done. */
  nextDueOn(today: Day): Day | null {
    const days = daysOf({ from: today, to: Math.max(today, this.horizon) + 400 });
    return days.find((day) => this.asksForSomething(day)) ?? null;
  }

  thisPeriod(today: Day) {
    const kind = this.periodKind;
    if (!kind) return null;
    const { target, per } = this.facts;
    const period = this.periodAround(today, kind);
    const [goal, done] = per
      ? [this.requiredIn(period) * (target ?? 0), this.amountIn(period)]
      : [this.requiredIn(period) * 1_000, this.keptIn(period) * 1_000];
    return { ...period, goal, done, remaining: Math.max(0, goal - done), isKept: goal > 0 && done >= goal };
  }

  remaining(today: Day): number | null {
    const { target } = this.facts;
    return target === null ? null : Math.max(0, target - this.periodAmount(today));
  }

  streak(today: Day): Streak {
    const kind = this.periodKind;
    const { count, longest, aliveUntil } = kind ? this.runOfPeriods(kind, today) : this.runOfDays(today);
    const isOpen = this.isDue(today) && !this.isEnough(today) && !this.isNeutral(today);
    return {
      unit: kind ? `${kind}S` : 'everyDays' in this.facts.schedule ? 'TIMES' : 'DAYS',
      count,
      longest,
      // After travel westwards, a day that was kept may lie ahead: it is today, as far as a run of days is concerned.
      doneToday: kind ? this.isEnough(today) : this.keptDays.some((day) => day >= today),
      atRisk: count > 0 && isOpen && aliveUntil === today,
      aliveUntil: count > 0 ? aliveUntil : null,
    };
  }

  effectOf(day: Day, today: Day): Effect {
    const kind = this.periodKind;
    return kind ? this.effectOnPeriods(kind, day, today) : this.effectOnDays(day, today);
  }

  /** The day that ends a run whose last kept day is this one, if nothing is done; null if nothing can. */
  private endAfter(kept: Day): Day | null {
    const { schedule } = this.facts;
    let counted = 0;
    for (let day = kept + 1; day <= this.horizon; day += 1) {
      if (this.isNeutral(day)) continue;
      counted += 1;
      if ('weekdays' in schedule && this.isAsked(day)) return day;
      if ('everyDays' in schedule && counted === schedule.everyDays + Number(schedule.hasGraceDay ?? false))
        return day;
    }
    return null;
  }

  /** Of kept days, the oldest first. */
  runs(): Day[][] {
    const runs: Day[][] = [];
    for (const day of this.keptDays) {
      const before = runs.at(-1)?.at(-1);
      const end = before === undefined ? -1 : this.endAfter(before);
      if (end === null || day <= end) runs.at(-1)?.push(day);
      else runs.push([day]);
    }
    return runs;
  }

  private runOfDays(today: Day) {
    const runs = this.runs();
    const last = runs.at(-1)?.at(-1);
    const longest = Math.max(0, ...runs.map(({ length }) => length));
    if (last === undefined) return { count: 0, longest, aliveUntil: null };
    const aliveUntil = this.endAfter(last);
    const isAlive = aliveUntil === null || today <= aliveUntil;
    return { count: isAlive ? (runs.at(-1)?.length ?? 0) : 0, longest, aliveUntil };
  }

  private effectOnDays(day: Day, today: Day): Effect {
    const before = this.keptBefore(day);
    const end = before === undefined ? -1 : this.endAfter(before);
    if (this.isKept(day)) return end === null || day <= end ? 'CONTINUED' : 'STARTED';
    return day === end && day < today ? 'BROKEN' : 'NONE';
  }

  /** One is due in a period that has a target. */
  private requiredIn(period: Period): number {
    const { schedule, per } = this.facts;
    if (per) return this.isPassedOver(period) ? 0 : 1;
    return 'timesPer' in schedule ? Math.min(schedule.timesPer.count, this.notNeutral(period)) : 0;
  }

  private isPassedOver(period: Period): boolean {
    if (this.facts.per)
      return (
        !this.reachesTarget(period) &&
        daysOf(period).every((day) => this.isSkipped(day) || this.isPaused(day))
      );
    return this.notNeutral(period) === 0;
  }

  private reachesTarget(period: Period): boolean {
    return this.amountIn(period) >= (this.facts.target ?? 0);
  }

  private isPeriodKept(period: Period): boolean {
    if (this.facts.per) return this.reachesTarget(period);
    return !this.isPassedOver(period) && this.keptIn(period) >= this.requiredIn(period);
  }

  /** All periods from the first kept day to the horizon, save those that are passed over. */
  private countingPeriods(kind: PeriodKind): Period[] {
    const [first] = this.keptDays;
    if (first === undefined) return [];
    const periods = [this.periodAround(first, kind)];
    for (let last = periods[0]; last && last.to <= this.horizon; last = periods.at(-1))
      periods.push(this.periodAround(last.to + 1, kind));
    return periods.filter((period) => !this.isPassedOver(period));
  }

  private runOfPeriods(kind: PeriodKind, today: Day) {
    const periods = this.countingPeriods(kind);
    // After travel westwards, a period that was kept may lie ahead.
    const lastKept = periods.findLast((period) => this.isPeriodKept(period))?.from ?? today;
    const latest = Math.max(today, lastKept);
    let [run, longest, count] = [0, 0, 0];
    for (const period of periods.filter(({ from }) => from <= latest)) {
      const isKept = this.isPeriodKept(period);
      run = isKept ? run + 1 : 0;
      longest = Math.max(longest, run);
      if (isKept || period.to < latest) count = run; // the current one breaks nothing before it is over
    }
    const end = periods.find((period) => period.to >= latest && !this.isPeriodKept(period));
    return { count, longest, aliveUntil: end?.to ?? null };
  }

  private effectOnPeriods(kind: PeriodKind, day: Day, today: Day): Effect {
    const period = this.periodAround(day, kind);
    const before = this.countingPeriods(kind)
      .filter(({ to }) => to < period.from)
      .at(-1);
    const isAfterRun = before !== undefined && this.isPeriodKept(before);
    if (this.isPeriodKept(period)) {
      const keptUpTo = this.keptIn({ from: period.from, to: day });
      const upTo = (last: Day) => this.reachesTarget({ from: period.from, to: last });
      const isDecided = this.facts.per
        ? upTo(day) && !upTo(day - 1)
        : this.isKept(day) && keptUpTo === this.requiredIn(period);
      if (!isDecided) return 'NONE';
      return isAfterRun ? 'CONTINUED' : 'STARTED';
    }
    const isBroken = isAfterRun && !this.isPassedOver(period) && day === period.to && day < today;
    return isBroken ? 'BROKEN' : 'NONE';
  }

  /**
   * Due and not neutral; today only if kept, and so a day ahead, that of a clock or a place further on. Of times per
   * period, due is counted by period.
   */
  private countsAsDue(day: Day, today: Day): boolean {
    if (this.periodKind) return false;
    if (!this.isDue(day, today) || this.isNeutral(day)) return false;
    return day < today || this.isKept(day);
  }

  /** A period that is over, or that is kept already; none of before the task was made. */
  private countsInPeriods(period: Period, today: Day): boolean {
    return period.to >= this.facts.made && (period.to < today || this.isPeriodKept(period));
  }

  /** As it is counted: in days, or for a target of the period, whether it was kept. */
  private keptOf(period: Period): number {
    if (this.facts.per) return this.isPeriodKept(period) ? 1 : 0;
    return this.keptIn(period);
  }

  private dueNumbers(range: Period, today: Day) {
    const kind = this.periodKind;
    if (!kind) {
      const due = daysOf(range).filter((day) => this.countsAsDue(day, today));
      const kept = due.filter((day) => this.isKept(day)).length;
      return {
        dueDays: due.length,
        missedDays: due.length - kept,
        rate: due.length > 0 ? kept / due.length : null,
      };
    }
    const periods = this.touched(kind, range)
      .filter(({ to }) => to <= range.to)
      .filter((period) => this.countsInPeriods(period, today) && !this.isPassedOver(period));
    const kept = periods.filter((period) => this.isPeriodKept(period)).length;
    const shortfalls = periods
      .filter(({ to }) => to < today)
      .map((period) => Math.max(0, this.requiredIn(period) - this.keptOf(period)));
    return {
      dueDays: sum(periods.map((period) => this.requiredIn(period))),
      missedDays: sum(shortfalls),
      rate: periods.length > 0 ? kept / periods.length : null,
    };
  }

  statistics(range: Period, today: Day) {
    const days = daysOf(range);
    return {
      ...this.dueNumbers(range, today),
      keptDays: days.filter((day) => this.isEnough(day)).length,
      neutralDays: days.filter((day) => this.isNeutral(day)).length,
      ...{ points: this.pointsIn(days), ...this.doneIn(days) },
    };
  }

  private askedFor({ from, to }: Period, today: Day, apart: number): Asked[] {
    const { target, per, schedule, made } = this.facts;
    const range = { from: Math.max(from, Math.min(made, ...this.keptDays) - 31), to }; // there was nothing before
    const kind = this.periodKind;
    if (kind)
      return this.touched(kind, range)
        .filter((period) => period.from >= from && period.to <= to)
        .filter((period) => this.countsInPeriods(period, today) && !this.isPassedOver(period))
        .map((period) => ({
          share: per
            ? this.amountIn(period) / (target ?? 0)
            : daysOf(period).filter((day) => this.isEnough(day)).length / this.requiredIn(period),
          days: kind === 'WEEK' ? 7 : 30,
        }));
    return daysOf(range).flatMap((day) => {
      if (this.isKept(day)) return { share: 1, days: apart };
      if (day >= today || !this.isDue(day, today) || this.isNeutral(day)) return [];
      const share = target === null ? 0 : this.amountOn(day) / target;
      return { share, days: 'everyDays' in schedule ? 1 : apart };
    });
  }

  score(today: Day): number {
    const { schedule } = this.facts;
    const length = { WEEK: 7, MONTH: 30 };
    let apart = 1;
    if ('weekdays' in schedule) apart = 7 / schedule.weekdays.length;
    if ('everyDays' in schedule) apart = schedule.everyDays;
    if (this.periodKind) apart = length[this.periodKind];
    if ('timesPer' in schedule) apart = length[schedule.timesPer.period] / schedule.timesPer.count;
    return scored(apart, today, (range) => this.askedFor(range, today, apart));
  }

  protected countOf(days: readonly Day[], today: Day) {
    const dueCount = days.filter((day) => this.countsAsDue(day, today)).length;
    return { dueCount, keptCount: days.filter((day) => this.isEnough(day)).length };
  }

  byPeriod(kind: PeriodKind, range: Period, today: Day) {
    const isOwn = this.periodKind === kind;
    return this.touched(kind, range).map((period) => {
      const days = daysOf(range).filter((day) => day >= period.from && day <= period.to);
      const isCounted = isOwn && period.to <= range.to && this.countsInPeriods(period, today);
      const { dueCount, keptCount } = this.countOf(days, today);
      const keptOfPeriod = isCounted ? this.keptOf(period) : 0;
      return {
        ...{ ...period, ...this.doneIn(days) },
        dueCount: dueCount + (isCounted ? this.requiredIn(period) : 0),
        keptCount: isOwn && this.facts.per ? keptOfPeriod : keptCount,
      };
    });
  }
}
