import {
  type Day,
  type DayState,
  daysOf,
  type Effect,
  type Facts,
  Paper,
  type Period,
  type PeriodKind,
  type Streak,
  sum,
  weekdayOf,
} from './model.js';
import { scored } from './score-model.js';

/** A day, or of a limit per week or month such a period. */
type Unit = Period;

interface Judged {
  unit: Unit;
  fate: 'KEPT' | 'EXCEEDED' | 'OPEN' | 'PASSED_OVER';
  /** Of the run before it. */
  before: number;
  after: number;
}

/** What the contract says of a limit, told day by day as `Habit` tells of a habit. */
export class Limit extends Paper {
  protected readonly amountOfOne = 1_000;
  /** The day on which it was made, or that of its first record. */
  private readonly first: Day;

  constructor(facts: Facts) {
    super(facts);
    this.first = Math.min(facts.made, ...facts.done.map(({ day }) => day));
  }

  private isNeutral(day: Day): boolean {
    return this.isSkipped(day) || this.isPaused(day);
  }

  private isOfSchedule(day: Day): boolean {
    const { schedule } = this.facts;
    return !('weekdays' in schedule) || schedule.weekdays.includes(weekdayOf(day));
  }

  private unitOf(day: Day): Unit {
    const { per } = this.facts;
    return per ? this.periodAround(day, per) : { from: day, to: day };
  }

  /** What counts against the limit by the end of a day. */
  periodAmount(day: Day): number {
    if (!this.facts.per) return this.amountOn(day);
    const days = daysOf({ from: this.unitOf(day).from, to: day });
    return sum(days.filter((each) => !this.isNeutral(each)).map((each) => this.amountOn(each)));
  }

  remaining(today: Day): number {
    return Math.max(0, (this.facts.target ?? 0) - this.periodAmount(today));
  }

  private isExceededOn(day: Day): boolean {
    const isJudged = this.isOfSchedule(day) && !this.isNeutral(day) && this.doneOn(day).length > 0;
    return isJudged && this.periodAmount(day) > (this.facts.target ?? 0);
  }

  stateOf(day: Day, today: Day): DayState {
    if (day < this.first) return 'REST';
    if (day > today) return 'FUTURE';
    if (!this.isOfSchedule(day)) return 'REST';
    if (this.isSkipped(day)) return 'SKIPPED';
    if (this.isPaused(day)) return 'PAUSED';
    if (this.isExceededOn(day)) return 'EXCEEDED';
    return day === today ? 'WITHIN' : 'KEPT';
  }

  // It asks for nothing, and today counts as kept once it is over.
  readonly isDue = (): boolean => false;
  readonly asksOn = (): boolean => false;
  readonly isEnough = (): boolean => false;
  readonly standings = (): string[] => ['UNPLANNED'];
  readonly nextDueOn = () => null;
  readonly thisPeriod = () => null;

  private fateOf(unit: Unit, today: Day): Judged['fate'] {
    const days = daysOf(unit);
    if (days.some((day) => this.isExceededOn(day))) return 'EXCEEDED';
    if (!days.some((day) => this.isOfSchedule(day) && !this.isNeutral(day))) return 'PASSED_OVER';
    return unit.to < today ? 'KEPT' : 'OPEN';
  }

  /**
   * From the first one on, to that of today or of the last record. After travel westwards, the limit may be exceeded on
   * a day ahead: what lies before it is over then, as far as the run is concerned.
   */
  private units(now: Day): Judged[] {
    const days = this.facts.done.map(({ day }) => day);
    const last = Math.max(now, ...days);
    const exceeded = days.filter((day) => this.isExceededOn(day)).map((day) => this.unitOf(day).from);
    const today = Math.max(now, ...exceeded);
    const judged: Judged[] = [];
    let run = 0;
    for (let unit = this.unitOf(this.first); unit.from <= last; unit = this.unitOf(unit.to + 1)) {
      const fate = this.fateOf(unit, today);
      const before = run;
      if (fate === 'KEPT') run += 1;
      if (fate === 'EXCEEDED') run = 0;
      judged.push({ unit, fate, before, after: run });
    }
    return judged;
  }

  score(today: Day): number {
    const { schedule, per } = this.facts;
    const ofWeek = 'weekdays' in schedule ? schedule.weekdays.length : 7;
    const apart = per ? { WEEK: 7, MONTH: 30 }[per] : 7 / ofWeek;
    return scored(apart, today, ({ from }) =>
      this.units(today)
        .filter(({ unit }) => unit.from >= from && unit.to < today)
        .filter(({ fate }) => fate === 'KEPT' || fate === 'EXCEEDED')
        .map(({ fate }) => ({ share: fate === 'KEPT' ? 1 : 0, days: apart })),
    );
  }

  streak(today: Day): Streak {
    const runs = this.units(today).map(({ after }) => after);
    return {
      unit: this.facts.per ? `${this.facts.per}S` : 'DAYS',
      count: runs.at(-1) ?? 0,
      longest: Math.max(0, ...runs),
      ...{ doneToday: false, atRisk: false, aliveUntil: null },
    };
  }

  effectOf(day: Day, today: Day): Effect {
    const found = this.units(today).find(({ unit }) => day >= unit.from && day <= unit.to);
    if (!found) return 'NONE';
    const { unit, fate, before } = found;
    if (fate === 'KEPT' && day === unit.to) return before > 0 ? 'CONTINUED' : 'STARTED';
    const exceededOn = daysOf(unit).find((each) => this.isExceededOn(each));
    return fate === 'EXCEEDED' && day === exceededOn && before > 0 ? 'BROKEN' : 'NONE';
  }

  private countOfUnits(units: readonly Unit[], today: Day) {
    const fates = units
      .filter(({ to }) => to >= this.first && to < today)
      .map((unit) => this.fateOf(unit, today));
    const keptCount = fates.filter((fate) => fate === 'KEPT').length;
    return { dueCount: keptCount + fates.filter((fate) => fate === 'EXCEEDED').length, keptCount };
  }

  protected countOf(days: readonly Day[], today: Day) {
    return this.countOfUnits(this.facts.per ? [] : days.map((day) => ({ from: day, to: day })), today);
  }

  statistics(range: Period, today: Day) {
    const { per } = this.facts;
    const { dueCount: due, keptCount: kept } = per
      ? this.countOfUnits(
          this.touched(per, range).filter(({ to }) => to <= range.to),
          today,
        )
      : this.countOf(daysOf(range), today);
    return {
      ...{ dueDays: due, keptDays: kept, missedDays: due - kept, rate: due > 0 ? kept / due : null },
      neutralDays: daysOf(range).filter((day) => this.isNeutral(day)).length,
      ...{ points: 0, ...this.doneIn(daysOf(range)) },
    };
  }

  byPeriod(kind: PeriodKind, range: Period, today: Day) {
    return this.touched(kind, range).map((period) => {
      const days = daysOf(range).filter((day) => day >= period.from && day <= period.to);
      const whole = period.to <= range.to ? [period] : [];
      const counts = this.facts.per === kind ? this.countOfUnits(whole, today) : this.countOf(days, today);
      return { ...period, ...counts, ...this.doneIn(days) };
    });
  }
}
