// Words of the models: days are whole numbers since 1970, amounts and points are in thousandths.

export type Day = number;

const MS_PER_DAY = 86_400_000;

export const WEEKDAYS = [
  ...['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'],
] as const;
export type PeriodKind = 'WEEK' | 'MONTH';

export type Schedule =
  | { weekdays: readonly number[] } // 0 is Monday
  | { everyDays: number; hasGraceDay?: boolean }
  | { timesPer: { count: number; period: PeriodKind } };

export const EVERY_DAY: Schedule = { weekdays: [0, 1, 2, 3, 4, 5, 6] };

export const isEveryDay = (schedule: Schedule) =>
  'weekdays' in schedule
    ? schedule.weekdays.length === 7
    : 'everyDays' in schedule && schedule.everyDays === 1;

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
  | 'OPEN'
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

/** What is told of every habit alike, day by day. */
export abstract class Paper {
  private readonly days = new Map<Day, Done[]>();

  constructor(protected readonly facts: Facts) {
    for (const done of facts.done) this.days.set(done.day, [...this.doneOn(done.day), done]);
  }

  /** What one without an amount counts as. */
  protected abstract readonly amountOfOne: number;

  protected doneOn(day: Day): readonly Done[] {
    return this.days.get(day) ?? [];
  }

  amountOn(day: Day): number {
    return sum(this.doneOn(day).map(({ amount }) => amount ?? this.amountOfOne));
  }

  protected isSkipped(day: Day): boolean {
    return this.facts.skips.includes(day);
  }

  protected isPaused(day: Day): boolean {
    return this.facts.pauses.some(({ from, until }) => day >= from && (until === null || day <= until));
  }

  protected doneIn(days: readonly Day[]) {
    return {
      completionCount: days.flatMap((day) => this.doneOn(day)).length,
      amount: sum(days.map((day) => this.amountOn(day))),
    };
  }

  protected pointsIn(days: readonly Day[]): number {
    return sum(days.flatMap((day) => this.doneOn(day)).map(({ points }) => points));
  }

  protected periodAround(day: Day, kind: PeriodKind): Period {
    return periodOf(day, kind, this.facts.weekStartsOn);
  }

  protected touched(kind: PeriodKind, range: Period): Period[] {
    const periods = daysOf(range).map((day) => this.periodAround(day, kind));
    return periods.filter(({ from }, index) => from !== periods[index - 1]?.from);
  }

  protected abstract countOf(days: readonly Day[], today: Day): { dueCount: number; keptCount: number };

  byWeekday(range: Period, today: Day) {
    return Array.from({ length: 7 }, (_, index) => {
      const weekday = (this.facts.weekStartsOn + index) % 7;
      const days = daysOf(range).filter((day) => weekdayOf(day) === weekday);
      return { weekday, ...this.countOf(days, today), ...this.doneIn(days) };
    });
  }
}
