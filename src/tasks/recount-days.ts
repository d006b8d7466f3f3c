import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Day } from '../streaks/day.js';
import type { TaskTables } from './task.queries.js';

const startOf = (day: RawBuilder<unknown>) => sql`(${day})::timestamp at time zone 'UTC'`;

/**
 * Recounts the run and the longest run after completion `id` was added to a day, or removed from it. The result
 * equals a recount of the whole history. It walks from day to day along the index, over the runs next to the change;
 * it reads all days only if the longest run may have become shorter. Does nothing while the day has other
 * completions. Lock the account first.
 */
export async function recountDays(
  query: Kysely<TaskTables>,
  { userId, day, id }: { userId: string; day: Day; id: number },
): Promise<void> {
  const changed = sql`${day}::date`;
  const on = (date: RawBuilder<unknown>) => sql`
    select from task_completions
    where user_id = ${userId} and completed_at >= ${startOf(date)} and completed_at < ${startOf(sql`${date} + 1`)}`;
  /** The last day with a completion, overall or before a given day. */
  const latestDay = (before: RawBuilder<unknown> = sql``) => sql`
    select (completed_at at time zone 'UTC')::date from task_completions
    where user_id = ${userId} ${before} order by completed_at desc, id desc limit 1`;
  const walk = (name: string, step: 1 | -1) => sql`
    ${sql.raw(name)} (day) as (
      select ${changed} + ${sql.lit(step)} where exists (${on(sql`${changed} + ${sql.lit(step)}`)})
      union all
      select day + ${sql.lit(step)} from ${sql.raw(name)} where exists (${on(sql`day + ${sql.lit(step)}`)})
    )`;
  await sql`
    with recursive ${walk('earlier', -1)}, ${walk('later', 1)},
    latest (day) as (
      select * from (${latestDay()}) newest
      union all
      select day - 1 from latest where exists (${on(sql`day - 1`)})
    ), days (day) as (
      select * from (${latestDay()}) newest
      union all
      select before.day from days cross join lateral (${latestDay(sql`and completed_at < ${startOf(sql`days.day`)}`)}) before (day)
    ), joined as (
      select (select count(*) from earlier)::int + 1 + (select count(*) from later)::int as length
    ), longest as (
      select count(*)::int as length
      from (select day, day + row_number() over (order by day desc)::int as run from days) numbered
      group by run order by length desc limit 1
    )
    update user_progress set
      last_active_on = (select max(day) from latest),
      run_started_on = (select min(day) from latest),
      longest_run = case
        when exists (${on(changed)}) then greatest(longest_run, (select length from joined))
        when longest_run > (select length from joined) then longest_run
        else coalesce((select length from longest), 0)
      end
    where user_id = ${userId} and not exists (${on(changed)} and id <> ${id})
  `.execute(query);
}
