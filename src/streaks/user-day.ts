import { type RawBuilder, sql } from 'kysely';
import type { UserProgress } from '../accounts/progress.entity.js';
import type { Day } from './day.js';

/** Of the user's row in `user_progress`: the offset between the wall clock and the user's days. */
const dayStart = sql`day_starts_at * interval '1 hour'`;

/**
 * The user's day at an instant: the date of the wall clock in the user's time zone, less the hours until the day
 * begins. Reads two columns of `user_progress`, which must be in scope. Null for a user without a time zone.
 */
export const zonedDayAt = (at: RawBuilder<unknown>) =>
  sql`((${at}) at time zone time_zone - ${dayStart})::date`;

/** The same for every user. `utc` is the UTC day of the same instant. */
export const userDayAt = (at: RawBuilder<unknown>, utc: RawBuilder<unknown>) =>
  sql`coalesce(${zonedDayAt(at)}, ${utc})`;

/** The instant at which a day of the user begins. Where the wall clock shows its first hour twice, the first time. */
export function startOfUserDay(day: RawBuilder<unknown>): RawBuilder<unknown> {
  const zone = sql`coalesce(time_zone, 'UTC')`;
  const start = sql`((${day})::timestamp + ${dayStart}) at time zone ${zone}`;
  const earlier = sql`(${start}) - interval '1 hour'`;
  const isInDay = sql`((${earlier}) at time zone ${zone} - ${dayStart})::date = ${day}`;
  return sql`case when ${isInDay} then ${earlier} else ${start} end`;
}

/**
 * Updates a row of user_progress for a completion on the user's day `day`, which must not be before the last one. It is
 * null as long as the user has no time zone: then the run of UTC days is the user's, and none is kept here.
 */
export const advancedToUserDay = (day: RawBuilder<unknown>) => {
  const runStartedOn = sql`(case when last_user_day >= ${day} - 1 then user_run_started_on else ${day} end)`;
  return sql`
    last_user_day = ${day},
    user_run_started_on = ${runStartedOn},
    longest_user_run = greatest(longest_user_run, ${day} - ${runStartedOn} + 1)`;
};

/** The same for the run of a task. The columns have the names of the table before them: another may be joined. */
export const taskAdvancedTo = (day: RawBuilder<unknown>) => {
  const runStartedOn = sql`(case when tasks.last_day >= ${day} - 1 then tasks.run_started_on else ${day} end)`;
  return sql`
    last_day = ${day},
    run_started_on = ${runStartedOn},
    longest_run = greatest(tasks.longest_run, ${day} - ${runStartedOn} + 1)`;
};

/** Days in a row, as they are stored. */
export interface Run {
  lastDay: Day | null;
  startedOn: Day | null;
  longest: number;
}

/** UTC, until the user has set another. */
export const zoneOf = ({ timeZone }: Pick<UserProgress, 'timeZone'>): string => timeZone ?? 'UTC';

type Progress = Pick<
  UserProgress,
  | 'timeZone'
  | 'lastActiveOn'
  | 'runStartedOn'
  | 'longestRun'
  | 'lastUserDay'
  | 'userRunStartedOn'
  | 'longestUserRun'
>;

/** The run of the user's days. */
export const userRunOf = (progress: Progress): Run =>
  progress.timeZone === null
    ? { lastDay: progress.lastActiveOn, startedOn: progress.runStartedOn, longest: progress.longestRun }
    : {
        lastDay: progress.lastUserDay,
        startedOn: progress.userRunStartedOn,
        longest: progress.longestUserRun,
      };
