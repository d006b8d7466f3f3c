import { type RawBuilder, sql } from 'kysely';

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

/**
 * The user's days of what happened once, with the row and that of `user_progress` in scope: whoever travels takes none
 * of it to another day.
 */
export const fixedDays = {
  madeOn: sql`coalesce(tasks.made_on, ${userDayAt(sql`tasks.created_at`)})`,
  archivedOn: sql`coalesce(tasks.archived_on, ${userDayAt(sql`tasks.archived_at`)})`,
  startedOn: sql`coalesce(user_challenges.started_on, ${userDayAt(sql`user_challenges.start_date`)})`,
};

const stored = {
  madeOn: sql`tasks.made_on`,
  archivedOn: sql`tasks.archived_on`,
  startedOn: sql`user_challenges.started_on`,
};

/**
 * Such a day for an export, whatever DateStyle the database has. Where the database does not know the user's zone, only
 * what was fixed before is known.
 */
export const fixedDayOf = (
  { userId, isZoneKnown }: { userId: string; isZoneKnown: boolean },
  name: keyof typeof fixedDays,
) =>
  isZoneKnown
    ? sql`(
        select to_char(${fixedDays[name]}, 'YYYY-MM-DD') from user_progress
        where user_progress.user_id = ${userId})`
    : sql`to_char(${stored[name]}, 'YYYY-MM-DD')`;

/** The instant at which a day of the user begins. Where the wall clock shows its first hour twice, the first time. */
export function startOfUserDay(day: RawBuilder<unknown>): RawBuilder<unknown> {
  const zone = sql`coalesce(time_zone, 'UTC')`;
  const start = sql`((${day})::timestamp + ${dayStart}) at time zone ${zone}`;
  const earlier = sql`(${start}) - interval '1 hour'`;
  const isInDay = sql`((${earlier}) at time zone ${zone} - ${dayStart})::date = ${day}`;
  return sql`case when ${isInDay} then ${earlier} else ${start} end`;
}
