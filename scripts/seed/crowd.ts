import { type Kysely, sql } from 'kysely';
import type { CompletionTables } from '../../src/features/history/completions/completion-list.queries.js';
import { built } from '../built.ts';

const { runsOf } = await built<typeof import('../../src/features/history/completions/recount.js')>(
  'features/history/completions/recount.js',
);
const { dayOf, startOf } =
  await built<typeof import('../../src/features/schedules/day.js')>('features/schedules/day.js');

/** Made-up users, for trying the service out and for benchmarks. */
export interface Crowd {
  /** Part of their e-mails and ids, so that two crowds never collide. */
  tag: string;
  /** Tasks per user. */
  tasks: number;
  completions: number;
  passwordHash: string;
  /** The end of their history. */
  now: Date;
}

/** A range of user numbers, both ends included. */
export interface Part {
  from: number;
  to: number;
}

const DAY = 24 * 60 * 60 * 1_000;

const todayOf = ({ now }: Crowd) => sql`${dayOf(now)}::date`;
const midnightOf = ({ now }: Crowd) => sql`${startOf(dayOf(now))}::timestamptz`;

/** One of four pseudo-random numbers below 2^32, derived from the user's number: the same each time. */
const draw = (which: 0 | 1 | 2 | 3) =>
  sql`('x' || substr(md5(number::text), ${sql.lit(1 + 8 * which)}, 8))::bit(32)::bigint`;

/**
 * Counting back from `idle_days` ago, a user was active on `run_days` days in a row, then missed one, and so on; so
 * no run is longer than the last. Most streaks are alive, the rest are 0.
 */
const lives = (crowd: Crowd, { from, to }: Part) => sql`
  drawn as (
    select
      number,
      concat('seed-', ${crowd.tag}::text, '-', number, '@example.com') as email,
      1 + ${draw(0)} % 3 as per_day,
      5 + ${draw(1)} % 26 as run_days,
      ${draw(2)} as idleness,
      ${draw(3)} % ${DAY}::int as time_of_day
    from generate_series(${from}::bigint, ${to}::bigint) as number
  ), people as (
    select
      *,
      md5(email)::uuid as user_id,
      (${crowd.completions}::int + per_day - 1) / per_day as days,
      case
        when idleness % 10 = 0 then 2 + idleness / 10 % 28
        when idleness % 10 < 3 then 1
        else 0
      end::int as idle_days
    from drawn
  ), lives as (
    select
      *,
      least(days, run_days)::int as run,
      ${todayOf(crowd)} - idle_days as last_day,
      ${midnightOf(crowd)} - (idle_days + days + days / run_days) * interval '24 hours'
        - time_of_day * interval '1 millisecond' as joined_at
    from people
  )`;

/** Every task of these users and every completion of it. Those of today lie before `now`. */
const histories = (crowd: Crowd) => sql`
  planned as materialized (
    select
      nextval(pg_get_serial_sequence('tasks', 'id')) as task_id,
      user_id,
      place,
      (array['Drink water', 'Read ten pages', 'Walk', 'Stretch', 'Meditate', 'Write a page'])[
        1 + (number + place) % 6] as title,
      (array[5, 10, 2.5, 15, 1, 20])[1 + (number + place) % 6] as points,
      joined_at + place * interval '1 second' as created_at
    from lives, generate_series(0, ${crowd.tasks}::int - 1) as place
  ), moments as (
    select
      user_id,
      age % ${crowd.tasks}::int as place,
      idle_days + age / per_day + age / per_day / run_days as days_ago,
      (time_of_day + age * 26984217::bigint) % ${DAY}::int as time_of_day
    from lives, generate_series(${crowd.completions}::int - 1, 0, -1) as age
  ), history as materialized (
    select
      user_id,
      task_id,
      points,
      ${midnightOf(crowd)} - days_ago * interval '24 hours' + interval '1 millisecond' * trunc(
        time_of_day * case days_ago when 0 then ${(crowd.now.getTime() % DAY) / DAY}::float8 else 1 end
      ) as completed_at
    from moments join planned using (user_id, place)
  )`;

const utcDay = sql`(completed_at at time zone 'UTC')::date`;

/** Counters are what the streak job would leave. Everybody has UTC days. */
const rows = ({ passwordHash }: Crowd) => sql`
  ${runsOf('latest', 'user_id, task_id', utcDay)}, counted as (
    select user_id, task_id, count(*) as count, sum(points) as points, max(completed_at) as last_at
    from history group by user_id, task_id
  ), earned as (
    select user_id, sum(points) as points from counted group by user_id
  ), new_users as (
    insert into users (id, name, email, password_hash, created_at, updated_at)
    select user_id, concat('Seeded user ', number), email, ${passwordHash}::text, joined_at, joined_at
    from lives
  ), new_progress as (
    insert into user_progress
      (user_id, points, current_streak, max_streak, longest_run, last_active_on, run_started_on)
    select
      user_id,
      coalesce(points, 0),
      case when idle_days < 2 then run else 0 end,
      run,
      run,
      case when run > 0 then last_day end,
      case when run > 0 then last_day - run + 1 end
    from lives left join earned using (user_id)
  ), new_tasks as (
    insert into tasks
      (id, user_id, title, points, is_daily_routine, completion_count, last_completed_at, created_at, updated_at,
        last_day, run_started_on, run_count, longest_run)
    select
      task_id, user_id, title, planned.points, place % 2 = 0, coalesce(count, 0), last_at, created_at, created_at,
      ended_on, started_on, coalesce(ended_on - started_on + 1, 0), coalesce(longest, 0)
    from planned left join counted using (user_id, task_id) left join latest using (user_id, task_id)
  ), new_completions as (
    insert into task_completions (user_id, task_id, points, completed_at, day, recorded_at)
    select user_id, task_id, points, completed_at, ${utcDay}, completed_at from history
  )`;

/** Inserts some users with their whole history, in one statement. Returns the e-mail of the first. */
export async function insertUsers(
  query: Kysely<CompletionTables>,
  crowd: Crowd,
  part: Part,
): Promise<string> {
  const { rows: found } = await sql<{ email: string }>`
    with ${lives(crowd, part)}, ${histories(crowd)}, ${rows(crowd)}
    select email from lives where number = ${part.from}
  `.execute(query);
  return found[0]?.email ?? '';
}
