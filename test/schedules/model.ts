/**
 * What the contract of schedules says of one habit, told day by day as a person would count on paper. Nothing is shared
 * with the code that is tested: days are whole numbers since 1970, amounts and points are in thousandths.
 */

export type Day = number;

const MS_PER_DAY = 86_400_000;

export const WEEKDAYS = [
  ...['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'],
] as const;
export type PeriodKind = 'WEEK' | 'MONTH';

export type Schedule =
  | { weekdays: readonly number[] } // 0 is Monday
  | { every: number }
  | { times: number; per: PeriodKind };

export const EVERY_DAY: Schedule = { weekdays: [0, 1, 2, 3, 4, 5, 6] };

export interface Done {
  day: Day;
  amount: number | null;
  points: number;
}

export interface Pause {
  from: Day;
  until: Day | null;
}

export interface Facts {
  schedule: Schedule;
  target: number | null;
  /** Of a target of a week or month. */
  per?: PeriodKind | null;
  /** The user's day on which the task was made. */
  made: Day;
  weekStartsOn: number;
  done: readonly Done[];
  skips: readonly Day[];
  /** Those of the task, and those of the user. */
  pauses: readonly Pause[];
}

export type DayState =
  | 'KEPT'
  | 'PARTIAL'
  | 'MISSED'
  | 'SKIPPED'
  | 'PAUSED'
  | 'REST'
  | 'DUE'
  | 'FUTURE'
  | 'WITHIN'
  | 'EXCEEDED';
export type Effect = 'NONE' | 'STARTED' | 'CONTINUED' | 'BROKEN';

export interface Streak {
  unit: 'DAYS' | 'TIMES' | 'WEEKS' | 'MONTHS';
  count: number;
  longest: number;
  doneToday: boolean;
  atRisk: boolean;
  /** The day with whose end the run ends. */
  aliveUntil: Day | null;
}

export interface Period {
  from: Day;
  to: Day;
}

export const weekdayOf = (day: Day) => (day + 3) % 7; // the first day of 1970 was a Thursday

export const nameOf = (day: Day) => new Date(day * MS_PER_DAY).toISOString().slice(0, 10);

export const dayNamed = (name: string): Day => Date.parse(`${name}T00:00:00Z`) / MS_PER_DAY;

export const daysOf = ({ from, to }: Period): Day[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);

export const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);

export function periodOf(day: Day, kind: PeriodKind, weekStartsOn: number): Period {
  if (kind === 'MONTH') {
    const at = new Date(day * MS_PER_DAY);
    const first = (months: number) => Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months) / MS_PER_DAY;
    return { from: first(0), to: first(1) - 1 };
  }
  let from = day;
  while (weekdayOf(from) !== weekStartsOn) from -= 1;
  return { from, to: from + 6 };
}

/** One habit under its schedule of now. */
export class Habit {
  private readonly days = new Map<Day, Done[]>();
  private readonly keptDays: readonly Day[];
  private readonly kept: ReadonlySet<Day>;
  /** From then on, all days are alike. */
  private readonly horizon: Day;

  constructor(private readonly facts: Facts) {
    for (const done of facts.done) this.days.set(done.day, [...this.doneOn(done.day), done]);
    this.keptDays = [...this.days.keys()].filter((day) => this.reachesGoal(day)).sort((a, b) => a - b);
    this.kept = new Set(this.keptDays);
    const ends = facts.pauses.flatMap(({ from, until }) => [from, until ?? from]);
    this.horizon = Math.max(0, ...facts.done.map(({ day }) => day), ...facts.skips, ...ends) + 400;
  }

  private doneOn(day: Day): readonly Done[] {
    return this.days.get(day) ?? [];
  }

  amountOn(day: Day): number {
    const { target, per } = this.facts;
    return sum(this.doneOn(day).map(({ amount }) => amount ?? (per ? 1_000 : (target ?? 0))));
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
    return 'times' in schedule ? schedule.per : (per ?? null);
  }

  /** What the present period has of a target. */
  periodAmount(today: Day): number {
    const { per, weekStartsOn } = this.facts;
    return per ? this.amountIn(periodOf(today, per, weekStartsOn)) : this.amountOn(today);
  }

  isKept(day: Day): boolean {
    return this.kept.has(day);
  }

  private isSkipped(day: Day): boolean {
    return this.facts.skips.includes(day);
  }

  private isPaused(day: Day): boolean {
    return this.facts.pauses.some(({ from, until }) => day >= from && (until === null || day <= until));
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
    const { schedule, weekStartsOn, target, per } = this.facts;
    if (per)
      return this.amountIn({ from: periodOf(day, per, weekStartsOn).from, to: day - 1 }) < (target ?? 0);
    if ('weekdays' in schedule) return schedule.weekdays.includes(weekdayOf(day));
    if ('times' in schedule) {
      const { from } = periodOf(day, schedule.per, weekStartsOn);
      return this.keptIn({ from, to: day - 1 }) < schedule.times;
    }
    const last = this.keptBefore(day);
    return last === undefined || this.notNeutral({ from: last + 1, to: day }) >= schedule.every;
  }

  isDue(day: Day): boolean {
    return day >= this.facts.made && this.isAsked(day);
  }

  stateOf(day: Day, today: Day): DayState {
    if (this.isKept(day)) return 'KEPT';
    if (this.doneOn(day).length > 0) return 'PARTIAL';
    if (this.isSkipped(day)) return 'SKIPPED';
    if (this.isPaused(day)) return 'PAUSED';
    if (day < this.facts.made) return 'REST';
    if (day > today) return 'FUTURE';
    if (!this.isDue(day)) return 'REST';
    if (day === today) return 'DUE';
    return this.periodKind ? 'REST' : 'MISSED';
  }

  /** What `tasks(due: true)` lists. */
  asksForSomething(today: Day): boolean {
    return this.isDue(today) && !this.isKept(today) && !this.isSkipped(today) && !this.isPaused(today);
  }

  /** Which `tasks(today: …)` list it. */
  standings(today: Day): string[] {
    const isDue = this.isDue(today) && !this.isNeutral(today);
    return [
      ...(this.asksForSomething(today) ? ['OPEN'] : []),
      ...(this.isKept(today) ? ['KEPT'] : []),
      isDue ? 'DUE' : 'NOT_DUE',
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
    const { target, per, weekStartsOn } = this.facts;
    const period = periodOf(today, kind, weekStartsOn);
    const [goal, done] = per
      ? [this.requiredIn(period) * (target ?? 0), this.amountIn(period)]
      : [this.requiredIn(period) * 1_000, this.keptIn(period) * 1_000];
    return { ...period, goal, done, left: Math.max(0, goal - done), kept: goal > 0 && done >= goal };
  }

  left(today: Day): number | null {
    const { target } = this.facts;
    return target === null ? null : Math.max(0, target - this.periodAmount(today));
  }

  streak(today: Day): Streak {
    const kind = this.periodKind;
    const { count, longest, aliveUntil } = kind ? this.runOfPeriods(kind, today) : this.runOfDays(today);
    const isOpen = this.isDue(today) && !this.isKept(today) && !this.isNeutral(today);
    return {
      unit: kind ? `${kind}S` : 'every' in this.facts.schedule ? 'TIMES' : 'DAYS',
      count,
      longest,
      // After travel westwards, a day that was kept may lie ahead: it is today, as far as a run of days is concerned.
      doneToday: kind ? this.isKept(today) : this.keptDays.some((day) => day >= today),
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
      if ('every' in schedule && counted === schedule.every) return day;
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
    return 'times' in schedule ? Math.min(schedule.times, this.notNeutral(period)) : 0;
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
    const periods = [periodOf(first, kind, this.facts.weekStartsOn)];
    for (let last = periods[0]; last && last.to <= this.horizon; last = periods.at(-1))
      periods.push(periodOf(last.to + 1, kind, this.facts.weekStartsOn));
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
    const period = periodOf(day, kind, this.facts.weekStartsOn);
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

  private doneIn(days: readonly Day[]) {
    const done = days.flatMap((day) => this.doneOn(day));
    return {
      completions: done.length,
      points: sum(done.map(({ points }) => points)),
      amount: sum(days.map((day) => this.amountOn(day))),
    };
  }

  /**
   * Due and not neutral; today only if kept, and so a day ahead, that of a clock or a place further on. Of times per
   * period, due is counted by period.
   */
  private countsAsDue(day: Day, today: Day): boolean {
    if (this.periodKind) return false;
    if (!this.isDue(day) || this.isNeutral(day)) return false;
    return day < today || this.isKept(day);
  }

  /** A period that is over, or that is kept already; none of before the task was made. */
  private countsInPeriods(period: Period, today: Day): boolean {
    return period.to >= this.facts.made && (period.to < today || this.isPeriodKept(period));
  }

  private touched(kind: PeriodKind, range: Period): Period[] {
    const periods = new Map(
      daysOf(range)
        .map((day) => periodOf(day, kind, this.facts.weekStartsOn))
        .map((period) => [period.from, period]),
    );
    return [...periods.values()];
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
      keptDays: this.keptIn(range),
      neutralDays: days.filter((day) => this.isNeutral(day)).length,
      ...this.doneIn(days),
    };
  }

  byWeekday(range: Period, today: Day) {
    return Array.from({ length: 7 }, (_, index) => {
      const weekday = (this.facts.weekStartsOn + index) % 7;
      const days = daysOf(range).filter((day) => weekdayOf(day) === weekday);
      const { completions, amount } = this.doneIn(days);
      const due = days.filter((day) => this.countsAsDue(day, today)).length;
      const kept = days.filter((day) => this.isKept(day)).length;
      return { weekday, due, kept, completions, amount };
    });
  }

  byPeriod(kind: PeriodKind, range: Period, today: Day) {
    const isOwn = this.periodKind === kind;
    return this.touched(kind, range).map((period) => {
      const days = daysOf(range).filter((day) => day >= period.from && day <= period.to);
      const { completions, amount } = this.doneIn(days);
      const isCounted = isOwn && period.to <= range.to && this.countsInPeriods(period, today);
      const ofPeriod = isCounted ? this.requiredIn(period) : 0;
      const due = ofPeriod + days.filter((day) => this.countsAsDue(day, today)).length;
      const isWhole = isOwn && this.facts.per;
      const kept = isWhole
        ? isCounted
          ? this.keptOf(period)
          : 0
        : days.filter((day) => this.isKept(day)).length;
      return { ...period, due, kept, completions, amount };
    });
  }
}

/** The user's own streak: days with any completion; only pauses of everything are neutral. */
export function userHabit(done: readonly Done[], pauses: readonly Pause[]): Habit {
  return new Habit({
    ...{ schedule: EVERY_DAY, target: null, made: 0, weekStartsOn: 0, skips: [] },
    ...{ done, pauses },
  });
}
