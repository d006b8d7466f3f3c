import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';

/** A day of the database as its number since 1970, as `numberOf` counts. */
export const dayNumber = (day: RawBuilder<unknown>) => sql`${day} - date '1970-01-01'`;

/** The day of such a number, as `dayAt`. */
export const dayNumbered = (number: RawBuilder<unknown>) => sql`date '1970-01-01' + ${number}`;

/** Of the user's row in `user_progress`: the offset between the wall clock and the user's days. */
const dayStart = sql`day_starts_at * interval '1 hour'`;

/**
 * The user's day at an instant: the date of the wall clock in the user's time zone, less the hours until the day
 * begins. Reads two columns of `user_progress`, which must be in scope. Null for a user without a time zone.
 */
export const zonedDayAt = (at: RawBuilder<unknown>) =>
  sql`((${at}) at time zone time_zone - ${dayStart})::date`;

/** The user's day, or that of UTC for who has no zone. */
export const userDayAt = (at: RawBuilder<unknown>) =>
  sql`coalesce(${zonedDayAt(at)}, ((${at}) at time zone 'UTC')::date)`;

/** Before days are cut otherwise: tasks were made on the days that there were, as what was done keeps its day. */
export const noteDaysOfMaking = (query: QueryExecutorProvider, userId: string) =>
  sql`
    update tasks set made_on = ${userDayAt(sql`tasks.created_at`)} from user_progress
    where tasks.user_id = ${userId} and user_progress.user_id = ${userId} and made_on is null`.execute(query);

/** The instant at which a day of the user begins. Where the wall clock shows its first hour twice, the first time. */
export function startOfUserDay(day: RawBuilder<unknown>): RawBuilder<unknown> {
  const zone = sql`coalesce(time_zone, 'UTC')`;
  const start = sql`((${day})::timestamp + ${dayStart}) at time zone ${zone}`;
  const earlier = sql`(${start}) - interval '1 hour'`;
  const isInDay = sql`((${earlier}) at time zone ${zone} - ${dayStart})::date = ${day}`;
  return sql`case when ${isInDay} then ${earlier} else ${start} end`;
}
