import { sql } from 'kysely';

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
