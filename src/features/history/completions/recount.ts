import { isDeepStrictEqual } from 'node:util';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { type Day, dayAt } from '../../schedules/day.js';
import {
  mayBeJudged,
  mayBePaused,
  type Recounted,
  recountAllTasks,
  recountUser,
  type StoredRun,
  taskRuns,
  userRun,
} from '../../schedules/recount-runs.js';
import { correctStreak, isWrongOn, trueStreakOn } from '../streaks/streak.js';
import type { CompletionTables } from './completion-list.queries.js';

/** The latest and the longest run of `day` in a history, for each of the `keys`, as the table `name`. */
export const runsOf = (
  name: string,
  keys: 'user_id' | 'user_id, task_id',
  day: RawBuilder<unknown>,
  history: 'history' | 'earning' = 'history',
) => {
  const [table, key] = [name, keys].map((each) => sql.raw(each));
  return sql`
  ${table}_days as (
    select distinct ${key}, ${day} as day from ${sql.table(history)}
  ), ${table}_numbered as (
    select *, day - row_number() over (partition by ${key} order by day)::int as run from ${table}_days
  ), ${table}_runs as (
    select ${key}, min(day) as started_on, max(day) as ended_on, count(*)::int as length
    from ${table}_numbered group by ${key}, run
  ), ${table} as (
    select distinct on (${key}) ${key}, started_on, ended_on,
      max(length) over (partition by ${key}) as longest
    from ${table}_runs order by ${key}, ended_on desc
  )`;
};

/**
 * Derives the counters of some users from their completions: points, the latest and the longest run of days (of UTC,
 * of the user, and of each task by the user's days), and the counts of each task. Only for comparison: repair counts
 * runs by the judge, so that the two check each other.
 */
const historyOf = (users: RawBuilder<unknown>) => sql`
  history as (
    select user_id, task_id, points, completed_at, (completed_at at time zone 'UTC')::date as utc_day,
      task_completions.day as user_day
    from task_completions where ${users}
  ), earning as (
    select * from history where points > 0
  ), earned as (
    select user_id, sum(points) as points from earning group by user_id
  ), ${runsOf('latest', 'user_id', sql`utc_day`, 'earning')}, ${runsOf('lived', 'user_id', sql`user_day`, 'earning')},
  ${runsOf('done', 'user_id, task_id', sql`user_day`)}, counts as (
    select user_id, task_id, count(*)::int as count, max(completed_at) as last_at
    from history group by user_id, task_id
  )`;

/**
 * Sets a user's counters from the history; `today` decides whether a streak is alive. Lock the account first. No
 * statement sorts the whole history: that would be done on the disk.
 */
export async function restoreCounters(
  query: Kysely<CompletionTables>,
  userId: string,
  today: Day,
): Promise<void> {
  await sql`
    update user_progress set points = coalesce((
      select sum(points) from task_completions where user_id = ${userId}
    ), 0)
    where user_id = ${userId}`.execute(query);
  await sql`
    update tasks set completion_count = coalesce(count, 0), last_completed_at = last_at
    from tasks counted left join (
      select task_id, count(*)::int as count, max(completed_at) as last_at
      from task_completions where user_id = ${userId} group by task_id
    ) counts on task_id = counted.id
    where tasks.id = counted.id and tasks.user_id = ${userId} and counted.user_id = ${userId}
      and (tasks.completion_count, tasks.last_completed_at) is distinct from (coalesce(count, 0), last_at)`.execute(
    query,
  );
  await recountUser(query, userId);
  await correctStreak(query, userId, today);
  await recountAllTasks(query, userId);
}

/** What is compared in the rows of a query below: what is stored, and what is recounted. */
const comparisons = [
  ['points', 'progress', ['points'], ['earned_points']],
  ['current run', 'progress', ['run_started_on', 'last_active_on'], ['started_on', 'ended_on']],
  ['longest run', 'progress', ['longest_run'], ['longest']],
  ['user run', 'unpaused', ['user_run_started_on', 'last_user_day'], ['lived_since', 'lived_until']],
  ['days of the user run', 'unpaused', ['user_run_count'], ['lived_days']],
  ['longest user run', 'unpaused', ['longest_user_run'], ['longest_lived']],
  ['current streak', 'streaks', ['current_streak'], ['true_streak']],
  ['max streak', 'streaks', ['max_streak'], ['longest_run']],
  ['completion count', 'owned', ['completion_count'], ['count']],
  ['last completion', 'owned', ['last_completed_at'], ['last_at']],
  ['task run', 'unplanned', ['run_started_on', 'last_day'], ['started_on', 'ended_on']],
  ['days of the task run', 'unplanned', ['run_count'], ['days']],
  ['longest task run', 'unplanned', ['longest_run'], ['longest']],
] as const;

export type DriftKind = (typeof comparisons)[number][0];

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

/** Instants whatever the zone of the session. */
const shown = (column: string) =>
  column.endsWith('_at')
    ? sql`(${sql.ref(column)} at time zone 'UTC')::text || '+00'`
    : sql`${sql.ref(column)}::text`;

/** The rows in which what is stored differs from what is recounted. */
const differing = ([kind, rows, stored, recounted]: (typeof comparisons)[number]) => {
  const columns = (names: readonly string[]) => sql.join(names.map((name) => sql.ref(name)));
  const text = (names: readonly string[]) => sql.join(names.map(shown), sql` || ' to ' || `);
  return sql`
    select ${sql.lit(kind)} as kind, user_id as "userId", ${sql.raw(rows === 'owned' || rows === 'unplanned' ? 'task_id' : 'null::bigint')} as "taskId",
      ${text(stored)} as stored, ${text(recounted)} as recounted,
      ${sql.raw(rows === 'streaks' ? 'is_due' : 'false')} as "isDue"
    from ${sql.table(rows)}
    where (${columns(stored)}) is distinct from (${columns(recounted)})`;
};

/** What is stored beside what is recounted: of users, of their tasks, and of streaks whose days are right. */
const comparedIn = (among: RawBuilder<unknown>, owners: RawBuilder<unknown>, today: Day) => sql`
    people as (select * from user_progress where ${among}),
    ${historyOf(among)},
    progress as (
      select people.*, coalesce(earned.points, 0) as earned_points,
        latest.ended_on, latest.started_on, coalesce(latest.longest, 0) as longest,
        case when time_zone is not null then lived.ended_on end as lived_until,
        case when time_zone is not null then lived.started_on end as lived_since,
        case when time_zone is null then 0 else coalesce(lived.longest, 0) end as longest_lived,
        case when time_zone is null then 0 else coalesce(lived.ended_on - lived.started_on + 1, 0) end as lived_days
      from people left join earned using (user_id) left join latest using (user_id) left join lived using (user_id)
    ), owned as (
      select tasks.user_id, tasks.id as task_id, completion_count, last_completed_at, coalesce(count, 0) as count, last_at,
        last_day, run_started_on, longest_run, run_count, ended_on, started_on, coalesce(longest, 0) as longest,
        coalesce(ended_on - started_on + 1, 0) as days,
        ${mayBeJudged} as may_be_judged
      from tasks
        left join counts on counts.user_id = tasks.user_id and counts.task_id = tasks.id
        left join done on done.user_id = tasks.user_id and done.task_id = tasks.id
      where ${owners}
    ), unplanned as (
      select * from owned where not may_be_judged
    ), unpaused as (
      select progress.* from progress join user_progress using (user_id) where not ${mayBePaused}
    ), streaks as (
      select *, ${trueStreakOn(today)} as true_streak, ${isWrongOn(today)} as is_due
      from progress
      where (run_started_on, last_active_on, longest_run) is not distinct from (started_on, ended_on, longest)
    )`;

/**
 * One statement, and so one snapshot: concurrent completions cannot be seen in part. The users are listed: of a narrow
 * range among a million the planner expects one, and then joins their rows each with each.
 */
export async function differencesAmong(
  query: Kysely<CompletionTables>,
  { users, today }: { users: readonly string[]; today: Day },
): Promise<{ drifts: Drift[]; due: Drift[] }> {
  const among = sql`user_id = any(${users}::uuid[])`;
  const owners = sql`tasks.user_id = any(${users}::uuid[])`;
  const { rows } = await sql<Difference>`
    with ${comparedIn(among, owners, today)}
    ${sql.join(comparisons.map(differing), sql` union all `)}
    order by kind, "userId", "taskId"
  `.execute(query);
  const only = (wanted: boolean) =>
    rows.filter(({ isDue }) => isDue === wanted).map(({ isDue: _, ...drift }) => drift);
  const drifts = [...only(false), ...(await plannedDrifts(query, users))];
  return { drifts, due: only(true) };
}

/** The runs that the statement above leaves out. */
async function plannedDrifts(query: Kysely<CompletionTables>, users: readonly string[]): Promise<Drift[]> {
  const isOfThese = sql`user_id = any(${users}::uuid[])`;
  const paused = await sql<{ userId: string }>`
    select user_id as "userId" from user_progress
    where ${isOfThese} and ${mayBePaused} order by user_id`.execute(query);
  const planned = await sql<{ userId: string; id: string }>`
    select user_id as "userId", id from tasks
    where ${isOfThese} and ${mayBeJudged} order by user_id`.execute(query);
  const drifts: Drift[] = [];
  for (const { userId } of paused.rows) {
    const user = await userRun(query, userId, 'user');
    if (user) drifts.push(...driftsOf({ userId, taskId: null }, 'user run', user));
  }
  for (const [userId, tasks] of Map.groupBy(planned.rows, (row) => row.userId)) {
    const ids = tasks.map(({ id }) => Number(id));
    for (const { id, ...task } of await taskRuns(query, userId, ids))
      drifts.push(...driftsOf({ userId, taskId: id }, 'task run', task));
  }
  return drifts;
}

function driftsOf(
  of: Pick<Drift, 'userId' | 'taskId'>,
  kind: 'user run' | 'task run',
  { stored, run }: Pick<Recounted, 'stored' | 'run'>,
): Drift[] {
  if (isDeepStrictEqual(stored, run)) return [];
  const shown = ({ startedOn, lastDay, longest, count, needsJudge }: StoredRun) => {
    const days = [startedOn, lastDay].map((day) => (day === null ? 'none' : dayAt(day)));
    return `${days.join(' to ')}, ${count}, longest ${longest}, ${needsJudge ? 'judged' : 'plain'}`;
  };
  return [{ ...of, kind, stored: shown(stored), recounted: shown(run) }];
}
