import { sql } from 'kysely';
import { type Day, daysBetween } from './day.js';
import type { Run } from './user-day.js';

/**
 * Updates a row of user_progress for a completion on `day`, which must not be before its last active day.
 * `current_streak` and `max_streak` follow the letter of the spec: only the job lowers a streak.
 */
export const advancedTo = (day: Day) => {
  const today = sql`${day}::date`;
  const isFirstToday = sql`(case when last_active_on = ${today} then 0 else 1 end)`;
  const runStartedOn = sql`(case when last_active_on >= ${today} - 1 then run_started_on else ${today} end)`;
  return sql`
    current_streak = current_streak + ${isFirstToday},
    max_streak = greatest(max_streak, current_streak + ${isFirstToday}),
    last_active_on = ${today},
    run_started_on = ${runStartedOn},
    longest_run = greatest(longest_run, ${today} - ${runStartedOn} + 1)`;
};

/** A run is alive until a whole day has been missed. */
const isAlive = (today: Day) => sql`last_active_on >= ${today}::date - 1`;

/** The true value of `current_streak`. That of `max_streak` is `longest_run`. */
export const trueStreakOn = (today: Day) =>
  sql`(case when ${isAlive(today)} then last_active_on - run_started_on + 1 else 0 end)`;

/** The correction of a row. It depends on `today` and on the row alone. */
export const correctedBy = (today: Day) => sql`
  current_streak = ${trueStreakOn(today)},
  max_streak = longest_run`;

/** The job's order of rows: by last active day, with rows that never were active first. */
const lastDay = sql`coalesce(last_active_on, '-infinity')`;

/** The ways in which a row can be wrong on `today`. Each has an index of its own. */
export const faultsOn = (today: Day) => [
  sql`current_streak > 0 and ${lastDay} < ${today}::date - 1`,
  sql`current_streak = 0 and ${lastDay} >= ${today}::date - 1`,
  sql`(max_streak <> longest_run
    or (current_streak > 0 and current_streak is distinct from last_active_on - run_started_on + 1))`,
];

/** The true streak at an instant, whether or not the job has run. */
export interface TrueStreak {
  days: number;
  longest: number;
  doneToday: boolean;
  atRisk: boolean;
  aliveUntil: Date | null;
}

/** The streak that a run is on a day. `endOf` tells when a run ends by its last day. */
export function streakOn(
  today: Day,
  { lastDay, startedOn, longest }: Run,
  endOf: (lastDay: Day) => Date | undefined,
): TrueStreak {
  const missed = lastDay === null ? Number.POSITIVE_INFINITY : daysBetween(lastDay, today);
  if (lastDay === null || startedOn === null || missed > 1) {
    return { days: 0, longest, doneToday: false, atRisk: false, aliveUntil: null };
  }
  return {
    days: daysBetween(startedOn, lastDay) + 1,
    longest,
    doneToday: missed <= 0,
    atRisk: missed === 1,
    aliveUntil: endOf(lastDay) ?? null,
  };
}

export const StreakEffect = {
  NONE: 'NONE',
  STARTED: 'STARTED',
  CONTINUED: 'CONTINUED',
  BROKEN: 'BROKEN',
} as const;
export type StreakEffect = keyof typeof StreakEffect;

/** The effect of a day on the run. Only a day that is over can break it, and only the first missed day does. */
export function effectOf(day: { isDone: boolean; isDayBeforeDone: boolean; isOver: boolean }): StreakEffect {
  if (day.isDone) return day.isDayBeforeDone ? 'CONTINUED' : 'STARTED';
  return day.isDayBeforeDone && day.isOver ? 'BROKEN' : 'NONE';
}
