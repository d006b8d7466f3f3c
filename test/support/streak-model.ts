import { beginningOf, DAY, userDayAt } from './wall-clock.js';

/** One doing of a task, as it could be noted on paper. */
export interface Done {
  at: Date;
  points: number;
  taskId: number;
}

/** The day that it counts for is noted with it, and stays. */
type Noted = Done & { userDay: number };

/** Days are whole numbers here, so that nothing is shared with the arithmetic that is tested. */
const dayOf = (at: Date) => Math.floor(at.getTime() / DAY);
const startOf = (day: number) => new Date(day * DAY);
const nameOf = (day: number | undefined) =>
  day === undefined ? null : startOf(day).toISOString().slice(0, 10);

/** Points of at most three decimals, added as a person would. */
const sum = (done: Done[]) =>
  Math.round(done.reduce((total, { points }) => total + points, 0) * 1_000) / 1_000;

const times = (done: Done[]) => done.map(({ at }) => at).sort((a, b) => a.getTime() - b.getTime());

/** What must be known about one user, told from a list of completions in the order in which they came. */
export class StreakModel {
  readonly completions: Noted[] = [];
  currentStreak = 0;
  maxStreak = 0;
  private timeZone: string | null = null;
  private dayStartsAt = 0;

  /** From now on days are those of this wall clock. */
  move(timeZone: string, dayStartsAt: number): void {
    this.timeZone = timeZone;
    this.dayStartsAt = dayStartsAt;
  }

  private get cut() {
    return { timeZone: this.timeZone ?? 'UTC', dayStartsAt: this.dayStartsAt };
  }

  userDayOf(at: Date): number {
    return userDayAt(at, this.cut);
  }

  /** Raises the counters by the letter of the spec; one of a day that is over has them counted anew. */
  complete(done: Done, now = done.at): void {
    const last = utcDays(this.completions).at(-1);
    const day = dayOf(done.at);
    this.completions.push({ ...done, userDay: this.userDayOf(done.at) });
    if ((last !== undefined && day < last) || day < dayOf(now)) {
      this.correct(dayOf(now));
    } else if (day !== last) {
      this.currentStreak += 1;
      this.maxStreak = Math.max(this.maxStreak, this.currentStreak);
    }
  }

  /** Takes a completion back that is a week old at most, or of today, the user's or that of UTC; nothing else can be. */
  undo(index: number, now: Date): boolean {
    const done = this.completions[index];
    if (!done) return false;
    const isOfToday = dayOf(done.at) === dayOf(now) || done.userDay === this.userDayOf(now);
    if (!isOfToday && now.getTime() - done.at.getTime() > 7 * DAY) return false;
    this.completions.splice(index, 1);
    this.correct(dayOf(now));
    return true;
  }

  /** As if the task had never been. */
  forget(taskId: number, now: Date): void {
    const left = this.completions.filter((each) => each.taskId !== taskId);
    this.completions.splice(0, this.completions.length, ...left);
    this.correct(dayOf(now));
  }

  /** Whether the job has anything to correct, which then is corrected. */
  job(now: Date): boolean {
    const { currentStreak, maxStreak } = this;
    this.correct(dayOf(now));
    return currentStreak !== this.currentStreak || maxStreak !== this.maxStreak;
  }

  private correct(today: number): void {
    const days = utcDays(this.completions);
    const run = lastRun(days);
    this.currentStreak = isAlive(run, today) ? run.length : 0;
    this.maxStreak = longestOf(days);
  }

  /** As in the columns of user_progress. */
  counters() {
    const days = utcDays(this.completions);
    const run = lastRun(days);
    const own = this.timeZone === null ? [] : userDays(this.completions);
    const ownRun = lastRun(own);
    return {
      points: sum(this.completions),
      current_streak: this.currentStreak,
      max_streak: this.maxStreak,
      last_active_on: nameOf(run.at(-1)),
      run_started_on: nameOf(run[0]),
      longest_run: longestOf(days),
      last_user_day: nameOf(ownRun.at(-1)),
      user_run_started_on: nameOf(ownRun[0]),
      longest_user_run: longestOf(own),
    };
  }

  private of(taskId: number): Noted[] {
    return this.completions.filter((each) => each.taskId === taskId);
  }

  /** As in the columns of tasks. */
  taskCounters(taskId: number) {
    const done = this.of(taskId);
    const run = lastRun(userDays(done));
    return {
      completion_count: done.length,
      last_completed_at: times(done).at(-1) ?? null,
      last_day: nameOf(run.at(-1)),
      run_started_on: nameOf(run[0]),
      longest_run: longestOf(userDays(done)),
    };
  }

  /** As GraphQL shows it at an instant. Where another clock was ahead, the day it has counted is today. */
  streak(now: Date, taskId?: number) {
    const all = userDays(taskId === undefined ? this.completions : this.of(taskId));
    const run = lastRun(all);
    const last = run.at(-1) ?? Number.NaN;
    const today = Math.max(this.userDayOf(now), all.at(-1) ?? 0);
    const days = isAlive(run, today) ? run.length : 0;
    return {
      days,
      longest: longestOf(all),
      doneToday: last === today,
      atRisk: last === today - 1,
      aliveUntil: days > 0 ? beginningOf(last + 2, this.cut).toISOString() : null,
    };
  }

  /** As GraphQL shows it of a task. `recorded` names the completions, in the same order. */
  today(taskId: number, now: Date, recorded: { id: number }[]) {
    const today = this.userDayOf(now);
    const done = this.completions
      .map((each, index) => ({ ...each, id: recorded[index]?.id ?? 0 }))
      .filter((each) => each.taskId === taskId && each.userDay === today)
      .sort((a, b) => a.at.getTime() - b.at.getTime() || a.id - b.id);
    const last = done.at(-1);
    return { date: nameOf(today), completions: done.length, lastCompletionId: last ? `${last.id}` : null };
  }

  /** As GraphQL shows it at an instant, from the day of one instant to that of another. */
  calendar(from: Date, to: Date, now: Date, taskId?: number) {
    const all = taskId === undefined ? this.completions : this.of(taskId);
    const done = new Set(userDays(all));
    return range(dayOf(from), dayOf(to)).map((day) => {
      const completions = all.filter(({ userDay }) => userDay === day);
      const missed = done.has(day - 1) && day < this.userDayOf(now) ? 'BROKEN' : 'NONE';
      const kept = done.has(day - 1) ? 'CONTINUED' : 'STARTED';
      return {
        date: nameOf(day),
        completions: completions.length,
        points: sum(completions),
        firstCompletedAt: times(completions)[0]?.toISOString() ?? null,
        streak: done.has(day) ? kept : missed,
      };
    });
  }
}

const distinct = (days: number[]) => [...new Set(days)].sort((a, b) => a - b);
const utcDays = (done: Noted[]) => distinct(done.map(({ at }) => dayOf(at)));
const userDays = (done: Noted[]) => distinct(done.map(({ userDay }) => userDay));

/** Days in a row, oldest run first. */
function runsOf(days: number[]): number[][] {
  const runs: number[][] = [];
  for (const day of days) {
    if (runs.at(-1)?.at(-1) === day - 1) runs.at(-1)?.push(day);
    else runs.push([day]);
  }
  return runs;
}

const lastRun = (days: number[]) => runsOf(days).at(-1) ?? [];
const longestOf = (days: number[]) => Math.max(0, ...runsOf(days).map(({ length }) => length));

/** A run ends once a whole day has been missed. */
const isAlive = (run: number[], today: number) => (run.at(-1) ?? Number.NaN) >= today - 1;

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
