import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Day } from '../streaks/day.js';
import { correctedBy } from '../streaks/streak.js';
import { completionDay, completionTask } from './completion-day.js';
import type { TaskTables } from './task.queries.js';

type Part = RawBuilder<unknown>;

/** A run that is kept in a row: its columns, and how its days are found in the history. */
interface KeptRun {
  /** The update of the row, up to the values of its columns. */
  update: Part;
  lastDay: string;
  startedOn: string;
  longest: string;
  /** Which row is updated. */
  where: Part;
  /** The completions of a day, as a query that begins with `select from`. */
  on: (day: Part) => Part;
  /** The last day with a completion, overall or before a given day. */
  latest: (before?: Part) => Part;
}

const startOf = (day: Part) => sql`(${day})::timestamp at time zone 'UTC'`;

/** Of UTC days. */
const utcRun = (userId: string): KeptRun => ({
  update: sql`update user_progress`,
  lastDay: 'last_active_on',
  startedOn: 'run_started_on',
  longest: 'longest_run',
  where: sql`user_id = ${userId}`,
  on: (day) => sql`
    select from task_completions
    where user_id = ${userId} and completed_at >= ${startOf(day)} and completed_at < ${startOf(sql`${day} + 1`)}`,
  latest: (before) => sql`
    select (completed_at at time zone 'UTC')::date from task_completions
    where user_id = ${userId} ${before ? sql`and completed_at < ${startOf(before)}` : sql``}
    order by completed_at desc, id desc limit 1`,
});

/** Of the user's days. As long as the user has no time zone, they are UTC days, and no run of their own is kept. */
const userRun = (userId: string): KeptRun => ({
  update: sql`update user_progress`,
  lastDay: 'last_user_day',
  startedOn: 'user_run_started_on',
  longest: 'longest_user_run',
  where: sql`user_id = ${userId} and time_zone is not null`,
  on: (day) => sql`
    select from task_completions where user_id = ${userId} and ${completionDay} = ${day}`,
  latest: (before) => sql`
    select ${completionDay} from task_completions
    where user_id = ${userId} ${before ? sql`and ${completionDay} < ${before}` : sql``}
    order by ${completionDay} desc, completed_at desc limit 1`,
});

/** Of the user's days on which a task was completed. For the row comparison see `lastCompletionOf`. */
const taskRun = (userId: string, taskId: number): KeptRun => {
  const task = sql`${taskId}::bigint`;
  return {
    update: sql`update tasks`,
    lastDay: 'last_day',
    startedOn: 'run_started_on',
    longest: 'longest_run',
    where: sql`tasks.id = ${task} and tasks.user_id = ${userId}`,
    on: (day) => sql`
      select from task_completions where user_id = ${userId} and ${completionTask} = ${task} and ${completionDay} = ${day}`,
    latest: (before = sql`'infinity'::date`) => sql`
      select ${completionDay} from task_completions
      where user_id = ${userId} and (${completionTask}, ${completionDay}) < (${task}, ${before}) and ${completionTask} >= ${task}
      order by ${completionTask} desc, ${completionDay} desc, completed_at desc limit 1`,
  };
};

/** A completion that was added or removed. */
interface Changed {
  userId: string;
  taskId: number;
  id: number;
}

/** Recounts the run of UTC days after a completion was added to `day`, or removed from it. Lock the account first. */
export const recountUtcDays = (query: Kysely<TaskTables>, { userId, id }: Changed, day: Day): Promise<void> =>
  recount(query, utcRun(userId), { id, day });

/** Does the same for the runs of the user's days: the user's and the task's. */
export async function recountUserDays(
  query: Kysely<TaskTables>,
  { userId, taskId, id }: Changed,
  day: Day,
): Promise<void> {
  await recount(query, userRun(userId), { id, day });
  await recount(query, taskRun(userId, taskId), { id, day });
}

export const correctStreak = (query: Kysely<TaskTables>, userId: string, today: Day) =>
  sql`update user_progress set ${correctedBy(today)} where user_id = ${userId}`.execute(query);

/**
 * Recounts a run and the longest run. The result equals a recount of the whole history. It walks from day to day along
 * the index, over the runs next to the change; it reads all days only if the longest run may have become shorter. Does
 * nothing while the day has other completions.
 */
async function recount(
  query: Kysely<TaskTables>,
  { update, lastDay, startedOn, longest, where, on, latest }: KeptRun,
  { day, id }: { day: Day; id: number },
): Promise<void> {
  const changed = sql`${day}::date`;
  const column = sql.ref(longest);
  const walk = (name: string, step: 1 | -1) => sql`
    ${sql.raw(name)} (day) as (
      select ${changed} + ${sql.lit(step)} where exists (${on(sql`${changed} + ${sql.lit(step)}`)})
      union all
      select ${sql.raw(name)}.day + ${sql.lit(step)} from ${sql.raw(name)}
      where exists (${on(sql`${sql.raw(name)}.day + ${sql.lit(step)}`)})
    )`;
  await sql`
    with recursive ${walk('earlier', -1)}, ${walk('later', 1)},
    latest (day) as (
      select * from (${latest()}) newest
      union all
      select latest.day - 1 from latest where exists (${on(sql`latest.day - 1`)})
    ), days (day) as (
      select * from (${latest()}) newest
      union all
      select before.day from days cross join lateral (${latest(sql`days.day`)}) before (day)
    ), joined as (
      select (select count(*) from earlier)::int + 1 + (select count(*) from later)::int as length
    ), longest as (
      select count(*)::int as length
      from (select day, day + row_number() over (order by day desc)::int as run from days) numbered
      group by run order by length desc limit 1
    )
    ${update} set
      ${sql.ref(lastDay)} = (select max(day) from latest),
      ${sql.ref(startedOn)} = (select min(day) from latest),
      ${column} = case
        when exists (${on(changed)}) then greatest(${column}, (select length from joined))
        when ${column} > (select length from joined) then ${column}
        else coalesce((select length from longest), 0)
      end
    where ${where} and not exists (${on(changed)} and id <> ${id})
  `.execute(query);
}
