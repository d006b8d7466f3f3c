import { type Kysely, sql } from 'kysely';
import { type Counters, counterColumns } from '../accounts/account.queries.js';
import { announceProgress } from '../accounts/progress.announcement.js';
import { insertOf } from '../database/columns.js';
import { isOneOf } from '../database/tables.js';
import type { Day } from '../streaks/day.js';
import { correctedBy } from '../streaks/streak.js';
import { userDayAt } from '../streaks/user-day.js';
import { selectTasks, type TaskRow } from '../tasks/task.queries.js';
import { Completion } from './completion.entity.js';
import { type CompletionRow, type CompletionTables, selectCompletions } from './completion-list.queries.js';

type Query = Kysely<CompletionTables>;

/** A completion to insert. */
export type Counted = Omit<CompletionRow, 'id' | 'day'> & { day: Day };

const column = <Row, Value>(rows: readonly Row[], value: (row: Row) => Value): Value[] => rows.map(value);

/**
 * Locks the user's counters, as every transaction does first that changes counters and tasks. Returns them, with the
 * user's day at each of the instants; undefined when the account is gone.
 */
export async function lockWithDays(
  query: Query,
  userId: string,
  instants: readonly Date[],
): Promise<{ counters: Counters; days: Day[] } | undefined> {
  const at = column(instants, (instant) => instant.toISOString());
  const days = sql<Day[]>`array(
    select ${userDayAt(sql`at`, sql`(at at time zone 'UTC')::date`)}::text
    from unnest(${at}::timestamptz[]) with ordinality as given (at, number) order by number)`;
  const row = await query
    .selectFrom('user_progress')
    .select([...counterColumns.of('user_progress'), days.as('days')])
    .where('user_id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row && { counters: counterColumns.from(row), days: row.days };
}

export const completionsWithKeys = (query: Query, userId: string, keys: string[]): Promise<CompletionRow[]> =>
  selectCompletions(query, { userId }).where(sql<boolean>`idempotency_key = any(${keys}::text[])`).execute();

/** Those that are the user's. None is put away, or worth other points, until the transaction ends. */
export const lockTasks = (query: Query, userId: string, ids: number[]): Promise<TaskRow[]> =>
  selectTasks(query, { userId }).where(isOneOf('id', ids)).orderBy('id').forNoKeyUpdate().execute();

/** Returns the ids, by key: a completion without one comes alone. */
export async function insertAll(
  query: Query,
  userId: string,
  completions: readonly Counted[],
): Promise<Map<string | null, number>> {
  const { rows } = await sql<{ id: number; key: string | null }>`
    ${insertOf(Completion, { into: 'task_completions', userId, rows: completions })}
    returning id, idempotency_key as key`.execute(query);
  return new Map(rows.map(({ id, key }) => [key, id]));
}

/** What a completion changes in its task's row, other than the run of days. */
export async function countForTasks(
  query: Query,
  userId: string,
  completions: readonly Counted[],
): Promise<void> {
  await sql`
    update tasks set
      completion_count = completion_count + counted.count,
      last_completed_at = greatest(last_completed_at, counted.last)
    from (
      select task_id, count(*)::int as count, max(completed_at) as last
      from unnest(
        ${column(completions, ({ taskId }) => taskId)}::bigint[],
        ${column(completions, ({ completedAt }) => completedAt.toISOString())}::timestamptz[]
      ) as given (task_id, completed_at)
      group by task_id
    ) counted
    where tasks.id = counted.task_id and tasks.user_id = ${userId}`.execute(query);
}

/** Call it when the runs have been recounted. `streak`: as it is, or what the job makes of the run today. */
export async function countForUser(
  query: Query,
  userId: string,
  {
    points,
    streak,
  }: { points: readonly number[]; streak: { current: number; max: number } | { today: Day } },
): Promise<Counters | undefined> {
  const changed =
    'today' in streak
      ? correctedBy(streak.today)
      : sql`current_streak = ${streak.current}, max_streak = ${streak.max}`;
  const { rows } = await sql<Counters>`
    update user_progress set
      points = points + (select sum(earned) from unnest(${points}::numeric[]) as earned), ${changed}
    where user_id = ${userId}
    returning ${counterColumns.textOf('user_progress')}`.execute(query);
  return rows[0];
}

export async function announceCompletions(
  query: Query,
  userId: string,
  completions: readonly Pick<CompletionRow, 'id' | 'taskId'>[],
): Promise<void> {
  const ids = { taskId: sql`done.task_id`, completionId: sql`done.id` };
  await sql`
    select ${announceProgress('COMPLETED', sql`${userId}::uuid`, ids)}
    from unnest(
      ${column(completions, ({ id }) => id)}::bigint[], ${column(completions, ({ taskId }) => taskId)}::bigint[]
    ) as done (id, task_id)`.execute(query);
}
