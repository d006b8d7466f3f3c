import { type RawBuilder, sql } from 'kysely';

/** In bytes: the weight of a completion that is only counted. It is not sent, but it takes time all the same. */
export const COUNTED = 10;

/**
 * The user's day that a completion counts for, in `task_completions`. It is the expression of two indexes. Releases
 * that knew UTC days only have left `day` out.
 */
export const completionDay = sql`coalesce(task_completions.day, (task_completions.completed_at at time zone 'UTC')::date)`;

/**
 * The task of a completion, as the index by task and day has it. Where most tasks have few completions, the planner would
 * otherwise take the index by task and time, and read and sort all of a task that has many.
 */
export const completionTask = sql`(task_completions.task_id + 0)`;

/** The last of the user's days with a completion, overall or before a given day. */
export const latestUserDay = (userId: string, before?: RawBuilder<unknown>) => sql`
  select ${completionDay} from task_completions
  where user_id = ${userId} ${before ? sql`and ${completionDay} < ${before}` : sql``}
  order by ${completionDay} desc, completed_at desc limit 1`;

/** Every day of a history as `days`, by a look into the index for each. */
export const daysOf = (latest: (before?: RawBuilder<unknown>) => RawBuilder<unknown>) => sql`
  days (day) as (
    select * from (${latest()}) newest
    union all
    select before.day from days cross join lateral (${latest(sql`days.day`)}) before (day)
  )`;
