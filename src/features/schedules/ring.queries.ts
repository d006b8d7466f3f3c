import { type RawBuilder, sql } from 'kysely';

type Part = RawBuilder<unknown>;

interface Ring {
  /** Of the reminder. */
  minute: Part;
  weekdays: Part;
  /** Of its user. */
  zone: Part;
  dayStartsAt: Part;
  after: Part;
}

/** How far the wall clock may be turned back at once: the usual steps, longest first, so that the first time counts. */
const STEPS = sql`array[interval '2 hours', interval '1 hour', interval '30 minutes']`;

/**
 * The first instant after another at which the wall clock shows that time, on one of the weekdays. A time that the clock
 * jumps over rings as it jumps; one that it shows twice rings the first time. The weekday is that of the user's own day.
 * A country that moves across the date line skips a day: a weekday may then come only after a fortnight.
 */
export const nextRing = (ring: Ring) => sql`coalesce(${ringWithin(ring, -1, 8)}, ${ringWithin(ring, 9, 16)})`;

const ringWithin = (
  { minute, weekdays, zone, dayStartsAt, after }: Ring,
  from: number,
  until: number,
) => sql`(
  select min(ring.at)
  from (select (${after}) as at, ((${after}) at time zone ${zone})::date as day offset 0) since
    cross join generate_series(${sql.lit(from)}, ${sql.lit(until)}) as ahead
    cross join lateral (
      select (since.day + ahead)::timestamp + ${minute} * interval '1 minute' as at offset 0
    ) wall
    cross join lateral (select wall.at at time zone ${zone} as at offset 0) usual
    cross join lateral (select usual.at at time zone ${zone} as at offset 0) shown
    cross join lateral (
      select case
        when shown.at = wall.at then coalesce((
          select min(usual.at - step) from unnest(${STEPS}) as step where (usual.at - step) at time zone ${zone} = wall.at
        ), usual.at)
        else ${jumpBefore(sql`usual.at`, zone)}
      end as at offset 0
    ) ring
  where ring.at > since.at
    and ${weekdays} & (1 << (extract(isodow from (ring.at at time zone ${zone}) - ${dayStartsAt} * interval '1 hour')::int - 1)) <> 0
)`;

/** By how much the wall clock is ahead of UTC. */
const aheadAt = (at: Part, zone: Part) => sql`(${at}) at time zone ${zone} - (${at}) at time zone 'UTC'`;

/**
 * The first minute at which the wall clock is as far ahead as at an instant less than a day after it: the hour is looked
 * for before the minute, since a planner counts with each minute of a day.
 */
const jumpBefore = (at: Part, zone: Part) => sql`(
  select min(old.at + minutes * interval '1 minute')
  from (
    select max(${at} - hours * interval '1 hour') as at from generate_series(1, 24) as hours
    where ${aheadAt(sql`${at} - hours * interval '1 hour'`, zone)} <> ${aheadAt(at, zone)}
  ) old cross join generate_series(1, 60) as minutes
  where ${aheadAt(sql`old.at + minutes * interval '1 minute'`, zone)} = ${aheadAt(at, zone)}
)`;

/** The next ring, where the user's row of `user_progress` is in scope. */
export const nextRingOf = (ring: Pick<Ring, 'minute' | 'weekdays' | 'after'>) =>
  nextRing({ ...ring, zone: sql`coalesce(time_zone, 'UTC')`, dayStartsAt: sql`day_starts_at` });
