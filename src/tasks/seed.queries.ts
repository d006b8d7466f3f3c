import { type Kysely, sql } from 'kysely';
import { dayOf, startOf } from '../streaks/streak.js';
import type { TaskTables } from './task.queries.js';

/** Made-up users, for trying out and for measuring. */
export interface Crowd {
  /** Tells the e-mails and ids of this crowd from those of any other. */
  tag: string;
  /** Tasks and completions of each user. */
  tasks: number;
  completions: number;
  /** How many users in a hundred have lost their streak while it is still stored. */
  broken: number;
  passwordHash: string;
  /** Nothing happened after this. */
  now: Date;
}

const DAY = 24 * 60 * 60 * 1_000;

/** One of four numbers below 2^32 that look random, and are the same whenever this user is made. */
const draw = (which: 0 | 1 | 2 | 3) =>
  sql`('x' || substr(md5(number::text), ${sql.lit(1 + 8 * which)}, 8))::bit(32)::bigint`;

/**
 * Makes the users from one number to another, with their tasks and histories, in one statement. Answers
 * with the first one's e-mail.
 *
 * A user is active on `run_days` days in a row, then misses one, and so on, back from `idle_days` ago;
 * so the last run is the longest. Counters are as the job leaves them, except those of broken streaks.
 */
export async function insertUsers(
  query: Kysely<TaskTables>,
  { tag, tasks, completions, broken, passwordHash, now }: Crowd,
  { from, to }: { from: number; to: number },
): Promise<string | undefined> {
  const today = sql`${dayOf(now)}::date`;
  const midnight = startOf(dayOf(now));
  const shareOfToday = (now.getTime() - midnight.getTime()) / DAY;
  const { rows } = await sql<{ email: string }>`
    with drawn as (
      select
        number,
        concat('seed-', ${tag}::text, '-', number, '@example.com') as email,
        number * ${broken}::int / 100 > (number - 1) * ${broken}::int / 100 as is_broken,
        1 + ${draw(0)} % 3 as per_day,
        5 + ${draw(1)} % 26 as run_days,
        ${draw(2)} as idleness,
        ${draw(3)} % ${DAY}::int as daytime
      from generate_series(${from}::bigint, ${to}::bigint) as number
    ), people as (
      select
        *,
        md5(email)::uuid as user_id,
        (${completions}::int + per_day - 1) / per_day as days,
        case
          when is_broken or idleness % 10 = 0 then 2 + idleness / 10 % 28
          when idleness % 10 < 3 then 1
          else 0
        end::int as idle_days
      from drawn
    ), lives as (
      select
        *,
        ${today} - idle_days as last_day,
        least(days, run_days)::int as run,
        ${midnight}::timestamptz - (idle_days + days + days / run_days) * interval '24 hours'
          - daytime * interval '1 millisecond' as joined_at
      from people
    ), planned as materialized (
      select
        nextval(pg_get_serial_sequence('tasks', 'id')) as task_id,
        user_id,
        task_number,
        (array['Drink water', 'Read ten pages', 'Walk', 'Stretch', 'Meditate', 'Write a page'])[
          1 + (number + task_number) % 6] as title,
        (array[5, 10, 2.5, 15, 1, 20])[1 + (number + task_number) % 6] as points,
        joined_at + task_number * interval '1 second' as created_at
      from lives, generate_series(0, ${tasks}::int - 1) as task_number
    ), history as materialized (
      select
        planned.user_id,
        task_id,
        points,
        ${midnight}::timestamptz - days_ago * interval '24 hours'
          + trunc(moment * case days_ago when 0 then ${shareOfToday}::float8 else 1 end) * interval '1 millisecond'
          as completed_at
      from lives,
        generate_series(${completions}::int - 1, 0, -1) as age,
        lateral (select age / per_day as active_day) as active,
        lateral (
          select
            idle_days + active_day + active_day / run_days as days_ago,
            (daytime + age * 26_984_217::bigint) % ${DAY}::int as moment
        ) as placed
        join planned on true
      where planned.user_id = lives.user_id and task_number = age % ${tasks}::int
    ), counted as (
      select user_id, task_id, count(*) as count, sum(points) as earned, max(completed_at) as last_at
      from history group by user_id, task_id
    ), earned as (
      select user_id, sum(earned) as points from counted group by user_id
    ), new_users as (
      insert into users (id, name, email, password_hash, created_at, updated_at)
      select user_id, concat('Seeded user ', number), email, ${passwordHash}::text, joined_at, joined_at from lives
    ), new_progress as (
      insert into user_progress
        (user_id, points, current_streak, max_streak, last_active_on, run_started_on, longest_run)
      select
        user_id,
        coalesce(points, 0),
        case when is_broken or idle_days < 2 then run else 0 end,
        run,
        case when run > 0 then last_day end,
        case when run > 0 then last_day - run + 1 end,
        run
      from lives left join earned using (user_id)
    ), new_tasks as (
      insert into tasks
        (id, user_id, title, points, is_daily_routine, completion_count, last_completed_at, created_at, updated_at)
      select
        task_id, user_id, title, points, task_number % 2 = 0, coalesce(count, 0), last_at, created_at, created_at
      from planned left join counted using (user_id, task_id)
    ), new_completions as (
      insert into task_completions (user_id, task_id, points, completed_at)
      select user_id, task_id, points, completed_at from history
    )
    select email from people order by number limit 1
  `.execute(query);
  return rows[0]?.email;
}
