/** One doing of a task, as it could be noted on paper. */
export interface Done {
  at: Date;
  points: number;
  taskId: number;
}

const DAY = 24 * 60 * 60 * 1_000;

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
  readonly completions: Done[] = [];
  currentStreak = 0;
  maxStreak = 0;

  /** Raises the counters by the letter of the spec; one that comes after a later day has them counted anew. */
  complete(done: Done): void {
    const last = this.days().at(-1);
    const day = dayOf(done.at);
    this.completions.push(done);
    if (last !== undefined && day < last) {
      this.correct(day);
    } else if (day !== last) {
      this.currentStreak += 1;
      this.maxStreak = Math.max(this.maxStreak, this.currentStreak);
    }
  }

  /** Takes a completion of today back; nothing else can be. */
  undo(index: number, now: Date): boolean {
    const done = this.completions[index];
    if (!done || dayOf(done.at) !== dayOf(now)) return false;
    this.completions.splice(index, 1);
    this.correct(dayOf(now));
    return true;
  }

  /** Whether the job has anything to correct, which then is corrected. */
  job(now: Date): boolean {
    const { currentStreak, maxStreak } = this;
    this.correct(dayOf(now));
    return currentStreak !== this.currentStreak || maxStreak !== this.maxStreak;
  }

  private correct(today: number): void {
    const run = this.runs().at(-1) ?? [];
    this.currentStreak = isAlive(run, today) ? run.length : 0;
    this.maxStreak = this.longest();
  }

  /** As in the columns of user_progress. */
  counters() {
    const run = this.runs().at(-1) ?? [];
    return {
      points: sum(this.completions),
      current_streak: this.currentStreak,
      max_streak: this.maxStreak,
      last_active_on: nameOf(run.at(-1)),
      run_started_on: nameOf(run[0]),
      longest_run: this.longest(),
    };
  }

  /** As in the columns of tasks. */
  taskCounters(taskId: number) {
    const done = this.completions.filter((each) => each.taskId === taskId);
    return { completion_count: done.length, last_completed_at: times(done).at(-1) ?? null };
  }

  /** As GraphQL shows it at an instant. Where another clock was ahead, the day it has counted is today. */
  streak(now: Date) {
    const run = this.runs().at(-1) ?? [];
    const last = run.at(-1) ?? Number.NaN;
    const today = Math.max(dayOf(now), this.days().at(-1) ?? 0);
    const days = isAlive(run, today) ? run.length : 0;
    return {
      days,
      longest: this.longest(),
      doneToday: last === today,
      atRisk: last === today - 1,
      aliveUntil: days > 0 ? startOf(last + 2).toISOString() : null,
    };
  }

  /** As GraphQL shows it at an instant, from the day of one instant to that of another. */
  calendar(from: Date, to: Date, now: Date) {
    const done = new Set(this.days());
    return range(dayOf(from), dayOf(to)).map((day) => {
      const completions = this.completions.filter(({ at }) => dayOf(at) === day);
      const missed = done.has(day - 1) && day < dayOf(now) ? 'BROKEN' : 'NONE';
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

  private days(): number[] {
    return [...new Set(this.completions.map(({ at }) => dayOf(at)))].sort((a, b) => a - b);
  }

  /** Days in a row, oldest run first. */
  private runs(): number[][] {
    const runs: number[][] = [];
    for (const day of this.days()) {
      if (runs.at(-1)?.at(-1) === day - 1) runs.at(-1)?.push(day);
      else runs.push([day]);
    }
    return runs;
  }

  private longest(): number {
    return Math.max(0, ...this.runs().map(({ length }) => length));
  }
}

/** A run ends once a whole day has been missed. */
const isAlive = (run: number[], today: number) => (run.at(-1) ?? Number.NaN) >= today - 1;

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
