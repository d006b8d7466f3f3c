import { sql } from 'kysely';

/** A UTC calendar day: `2026-11-21`. */
export type Day = string;

export const dayOf = (instant: Date): Day => instant.toISOString().slice(0, 10);

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
