import { sql } from 'kysely';
import type { UserProgress } from '../accounts/progress.entity.js';

/** A UTC calendar day: `2026-11-21`. */
export type Day = string;

const DAY = 24 * 60 * 60 * 1_000;

export const dayOf = (instant: Date): Day => instant.toISOString().slice(0, 10);

export const startOf = (day: Day): Date => new Date(`${day}T00:00:00.000Z`);

export const daysAfter = (day: Day, count: number): Day =>
  dayOf(new Date(startOf(day).getTime() + count * DAY));

/** From the first to the last day: 0 when they are the same, negative when the last comes first. */
export const daysBetween = (first: Day, last: Day): number =>
  Math.round((startOf(last).getTime() - startOf(first).getTime()) / DAY);

/**
 * What a completion on `day` does to a row of user_progress whose last active day is not after it.
 * `current_streak` and `max_streak` follow the letter of the spec: only the job takes a streak back.
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

/** A run of days is alive until a whole day has been missed. */
const isAlive = (today: Day) => sql`last_active_on >= ${today}::date - 1`;

/** What `current_streak` truly is; `longest_run` is what `max_streak` truly is. */
export const trueStreakOn = (today: Day) =>
  sql`(case when ${isAlive(today)} then last_active_on - run_started_on + 1 else 0 end)`;

/** What the job makes of a row, judging by `today` and by the row alone. */
export const correctedBy = (today: Day) => sql`
  current_streak = ${trueStreakOn(today)},
  max_streak = longest_run`;

/** The last active day, before all others for who has none: the order in which the job goes through rows. */
export const lastDay = sql`coalesce(last_active_on, '-infinity')`;

/** The ways in which a row can be wrong on `today`. Each has an index of its own. */
export const faultsOn = (today: Day) => [
  sql`current_streak > 0 and ${lastDay} < ${today}::date - 1`,
  sql`current_streak = 0 and ${lastDay} >= ${today}::date - 1`,
  sql`(max_streak <> longest_run
    or (current_streak > 0 and current_streak is distinct from last_active_on - run_started_on + 1))`,
];

/** The streak as it truly is at an instant, whether or not the job has run. */
export interface TrueStreak {
  days: number;
  longest: number;
  doneToday: boolean;
  atRisk: boolean;
  aliveUntil: Date | null;
}

export function streakAt(
  now: Date,
  {
    lastActiveOn,
    runStartedOn,
    longestRun,
  }: Pick<UserProgress, 'lastActiveOn' | 'runStartedOn' | 'longestRun'>,
): TrueStreak {
  const today = dayOf(now);
  const missed = lastActiveOn === null ? Number.POSITIVE_INFINITY : daysBetween(lastActiveOn, today);
  if (lastActiveOn === null || runStartedOn === null || missed > 1) {
    return { days: 0, longest: longestRun, doneToday: false, atRisk: false, aliveUntil: null };
  }
  return {
    days: daysBetween(runStartedOn, lastActiveOn) + 1,
    longest: longestRun,
    doneToday: missed <= 0,
    atRisk: missed === 1,
    aliveUntil: startOf(daysAfter(lastActiveOn, 2)),
  };
}

export const StreakEffect = {
  NONE: 'NONE',
  STARTED: 'STARTED',
  CONTINUED: 'CONTINUED',
  BROKEN: 'BROKEN',
} as const;
export type StreakEffect = keyof typeof StreakEffect;

/** What a day did to the run. Only a day that is over can break it, and only the first that was missed does. */
export function effectOf(day: { isDone: boolean; isDayBeforeDone: boolean; isOver: boolean }): StreakEffect {
  if (day.isDone) return day.isDayBeforeDone ? 'CONTINUED' : 'STARTED';
  return day.isDayBeforeDone && day.isOver ? 'BROKEN' : 'NONE';
}
