import { type DayNumber, numberOf } from './day.js';
import { type AmountOfDay, Judge, type NeutralDays, type Run, type Unit, Units } from './judge.js';
import { type Schedule, type StoredSchedule, scheduleOf, type Weekday } from './schedule.js';
import { isLimit, type JudgedTarget, periodTargetOf, type TargetOfTask, thousandthsOf } from './target.js';

/** Nothing is recorded of an earlier day. */
const EARLIEST = numberOf('1959-12-31');

/** A unit in which the limit was exceeded, and the first day on which it was. */
export interface Exceeded extends Unit {
  on: DayNumber;
}

/**
 * How the records of a limit are read. Unlike a habit's, its run grows by itself, and ends with what is done: so what is
 * stored is where the run began, and the longest of those before it. A unit is a day, or a week or month.
 */
export class Limit extends Units {
  private readonly most: number;

  constructor(
    schedule: Schedule,
    neutral: NeutralDays,
    weekStartsOn: Weekday,
    readonly target: Pick<TargetOfTask, 'amount' | 'per'>,
  ) {
    super(schedule, neutral, weekStartsOn, target.per === 'DAY' ? null : target.per);
    this.most = thousandthsOf(target.amount);
  }

  /** The days on which the limit was exceeded, of all days with records or of whole units, oldest first. */
  exceededDays(days: readonly AmountOfDay[]): DayNumber[] {
    let [first, sum] = [Number.NaN, 0];
    return days.flatMap(({ day, amount }) => {
      const unit = this.unitAround(day);
      if (unit.first !== first) [first, sum] = [unit.first, 0];
      if (!this.counts(day)) return [];
      sum += amount;
      return sum > this.most ? day : [];
    });
  }

  /** A record on another day, or on a neutral one, is forgiven. */
  counts(day: DayNumber): boolean {
    return this.isOfSchedule(day) && !this.neutral.has(day);
  }

  exceededUnits(days: readonly AmountOfDay[]): Exceeded[] {
    const units: Exceeded[] = [];
    for (const on of this.exceededDays(days))
      if (on > (units.at(-1)?.last ?? Number.NEGATIVE_INFINITY)) units.push({ ...this.unitAround(on), on });
    return units;
  }

  /** Neither neutral as a whole nor off the schedule. */
  isCounted(unit: Unit): boolean {
    return this.period ? !this.isNeutral(unit) : this.counts(unit.first);
  }

  /**
   * From where on the records are read by which the days from a day on are judged: from the last unit before it that
   * counts, since by what that was a run goes on or begins. A unit ahead says nothing. A limit begins with its first
   * record, if that is of a day before it was made.
   */
  firstRead(from: DayNumber, { today, madeOn }: { today: DayNumber; madeOn: DayNumber }): DayNumber {
    const before = (day: DayNumber) => this.unitAround(this.unitAround(day).first - 1);
    let unit = before(Math.min(from, today + 1));
    while (unit.first > madeOn && !this.isCounted(unit)) unit = before(unit.first);
    return unit.first > madeOn ? unit.first : EARLIEST;
  }

  /** The units that count among those that end in a range. */
  unitsIn(from: DayNumber, to: DayNumber): number {
    return this.period ? this.periodsIn(from, to) : this.daysIn(from, to);
  }

  /** From the day on which the limit began or, when it is known, that on which a run did. */
  runOf(exceeded: readonly Exceeded[], began: DayNumber, known?: Pick<Run, 'startedOn' | 'longest'>): Run {
    let startedOn = known?.startedOn ?? began;
    let longest = known?.longest ?? 0;
    for (const unit of exceeded) {
      if (unit.last < startedOn) continue;
      longest = Math.max(longest, this.unitsIn(startedOn, unit.first - 1));
      startedOn = unit.last + 1;
    }
    return { startedOn, lastDay: null, count: 0, longest };
  }

  private daysIn(from: DayNumber, to: DayNumber): number {
    let count = 0;
    for (let day = from; day <= to; ) {
      const neutralTo = this.neutral.endFrom(day);
      if (neutralTo !== undefined) {
        day = neutralTo + 1;
        continue;
      }
      const next = Math.min(this.neutral.nextAfter(day), to + 1);
      count += this.scheduledIn(day, next - 1);
      day = next;
    }
    return count;
  }

  private scheduledIn(from: DayNumber, to: DayNumber): number {
    const weeks = Math.floor((to - from + 1) / 7);
    let count = weeks * this.weekdays.filter(Boolean).length;
    for (let day = from + weeks * 7; day <= to; day += 1) if (this.isOfSchedule(day)) count += 1;
    return count;
  }

  private periodsIn(from: DayNumber, to: DayNumber): number {
    let count = 0;
    for (let unit = this.unitAround(from); unit.last <= to; unit = this.unitAround(unit.last + 1))
      if (this.isCounted(unit)) count += 1;
    return count;
  }
}

/** By what the days of a task are read. */
export type Reading = Judge | Limit;

export function readingOf(
  task: StoredSchedule & JudgedTarget,
  neutral: NeutralDays,
  weekStartsOn: Weekday | null,
): Reading {
  const [schedule, firstWeekday] = [scheduleOf(task), weekStartsOn ?? 'MONDAY'];
  const { targetAmount: amount, targetPeriod } = task;
  return amount !== null && isLimit(task)
    ? new Limit(schedule, neutral, firstWeekday, { amount, per: targetPeriod ?? 'DAY' })
    : new Judge(schedule, neutral, firstWeekday, periodTargetOf(task));
}
