import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Day } from '../streaks/day.js';
import { correctedBy, faultsOn, trueStreakOn } from '../streaks/streak.js';
import type { TaskTables } from './task.queries.js';

/**
 * Derives the counters of some users from their completions: points, the latest and the longest run of days, and the
 * counts of each task. Comparison and repair share it, so that they cannot disagree.
 */
const historyOf = (users: RawBuilder<unknown>) => sql`
  history as (
    select user_id, task_id, points, completed_at from task_completions where ${users}
  ), earned as (
    select user_id, sum(points) as points from history group by user_id
  ), days as (
    select distinct user_id, (completed_at at time zone 'UTC')::date as day from history
  ), numbered as (
    select user_id, day, day - row_number() over (partition by user_id order by day)::int as run from days
  ), runs as (
    select user_id, min(day) as started_on, max(day) as ended_on, count(*)::int as length
    from numbered group by user_id, run
  ), latest as (
    select distinct on (user_id) user_id, started_on, ended_on,
      max(length) over (partition by user_id) as longest
    from runs order by user_id, ended_on desc
  ), counts as (
    select user_id, task_id, count(*)::int as count, max(completed_at) as last_at
    from history group by user_id, task_id
  )`;

/** Sets a user's counters from the history; `today` decides whether a streak is alive. Lock the account first. */
export async function restoreCounters(query: Kysely<TaskTables>, userId: string, today: Day): Promise<void> {
  const user = sql`user_id = ${userId}`;
  await sql`
    with ${historyOf(user)}
    update user_progress set
      points = coalesce(earned.points, 0),
      last_active_on = ended_on,
      run_started_on = started_on,
      longest_run = coalesce(longest, 0)
    from (select ${userId}::uuid as user_id) subject
      left join earned using (user_id) left join latest using (user_id)
    where user_progress.user_id = subject.user_id
  `.execute(query);
  await sql`update user_progress set ${correctedBy(today)} where ${user}`.execute(query);
  await sql`
    with ${historyOf(user)}
    update tasks set completion_count = coalesce(count, 0), last_completed_at = last_at
    from tasks counted left join counts on counts.task_id = counted.id
    where tasks.id = counted.id and tasks.user_id = ${userId} and counted.user_id = ${userId}
      and (tasks.completion_count, tasks.last_completed_at) is distinct from (coalesce(count, 0), last_at)
  `.execute(query);
}

export type DriftKind =
  | 'points'
  | 'completion count'
  | 'last completion'
  | 'current run'
  | 'longest run'
  | 'current streak'
  | 'max streak';

/** A stored counter that differs from the history. */
export interface Drift {
  kind: DriftKind;
  userId: string;
  taskId: number | null;
  stored: string | null;
  recounted: string | null;
}

/** A drift, unless `isDue`: then the streak job will find and correct it. */
type Difference = Drift & { isDue: boolean };

/** One statement, and so one snapshot: concurrent completions cannot be seen in part. */
export async function differencesAmong(
  query: Kysely<TaskTables>,
  { after, upTo, today }: { after: string; upTo: string; today: Day },
): Promise<{ drifts: Drift[]; due: Drift[] }> {
  const range = sql`user_id > ${after} and user_id <= ${upTo}`;
  const { rows } = await sql<Difference>`
    with people as (select * from user_progress where ${range}),
    ${historyOf(range)},
    progress as (
      select people.*, coalesce(earned.points, 0) as earned_points, ended_on, started_on, coalesce(longest, 0) as longest
      from people left join earned using (user_id) left join latest using (user_id)
    ), owned as (
      select tasks.user_id, tasks.id as task_id, completion_count, last_completed_at, coalesce(count, 0) as count, last_at
      from tasks left join counts on counts.user_id = tasks.user_id and counts.task_id = tasks.id
      where tasks.user_id > ${after} and tasks.user_id <= ${upTo}
    ), streaks as (
      select *, ${trueStreakOn(today)} as true_streak, (${sql.join(faultsOn(today), sql` or `)}) as is_due
      from progress
      where (run_started_on, last_active_on, longest_run) is not distinct from (started_on, ended_on, longest)
    )
    select 'points' as kind, user_id as "userId", null::bigint as "taskId",
      points::text as stored, earned_points::text as recounted, false as "isDue"
    from progress where points <> earned_points
    union all
    select 'current run', user_id, null,
      run_started_on || ' to ' || last_active_on, started_on || ' to ' || ended_on, false
    from progress where (run_started_on, last_active_on) is distinct from (started_on, ended_on)
    union all
    select 'longest run', user_id, null, longest_run::text, longest::text, false
    from progress where longest_run <> longest
    union all
    select 'current streak', user_id, null, current_streak::text, true_streak::text, is_due
    from streaks where current_streak <> true_streak
    union all
    select 'max streak', user_id, null, max_streak::text, longest_run::text, is_due
    from streaks where max_streak <> longest_run
    union all
    select 'completion count', user_id, task_id, completion_count::text, count::text, false
    from owned where completion_count <> count
    union all
    select 'last completion', user_id, task_id, last_completed_at::text, last_at::text, false
    from owned where last_completed_at is distinct from last_at
    order by kind, "userId", "taskId"
  `.execute(query);
  const only = (wanted: boolean) =>
    rows.filter(({ isDue }) => isDue === wanted).map(({ isDue: _, ...drift }) => drift);
  return { drifts: only(false), due: only(true) };
}
