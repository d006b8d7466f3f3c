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
  from generate_series(${sql.lit(from)}, ${sql.lit(until)}) as ahead
    cross join lateral (
      select (((${after}) at time zone ${zone})::date + ahead)::timestamp + ${minute} * interval '1 minute' as at
    ) wall
    cross join lateral (select wall.at at time zone ${zone} as at) usual
    cross join lateral (select usual.at at time zone ${zone} as at) shown
    cross join lateral (
      select case
        when shown.at = wall.at then coalesce((
          select min(usual.at - step) from unnest(${STEPS}) as step where (usual.at - step) at time zone ${zone} = wall.at
        ), usual.at)
        else (
          select min(each) from generate_series(usual.at - (shown.at - wall.at), usual.at, interval '1 minute') as each
          where (each at time zone ${zone}) - (each at time zone 'UTC')
            = shown.at - (usual.at at time zone 'UTC')
        )
      end as at
    ) ring
  where ring.at > ${after}
    and ${weekdays} & (1 << (extract(isodow from (ring.at at time zone ${zone}) - ${dayStartsAt} * interval '1 hour')::int - 1)) <> 0
)`;

/** The same, where the user's row of `user_progress` is in scope. */
export const nextRingOf = (ring: Pick<Ring, 'minute' | 'weekdays' | 'after'>) =>
  nextRing({ ...ring, zone: sql`coalesce(time_zone, 'UTC')`, dayStartsAt: sql`day_starts_at` });
