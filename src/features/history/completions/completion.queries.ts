import { type Kysely, type RawBuilder, sql } from 'kysely';
import { columnsOf, type Prefixed, type RowOf } from '../../../database/columns.js';
import type { Database } from '../../../database/database.js';
import { inTime } from '../../../database/outcome.js';
import { statement } from '../../../database/statement.js';
import { type Counters, counterColumns } from '../../account/account.queries.js';
import { publishIfHeard } from '../../account/progress.announcement.js';
import { Task } from '../../habits/task.entity.js';
import { hiddenOfTask, scheduleColumns, type TaskRow } from '../../habits/task.queries.js';
import type { Day } from '../../schedules/day.js';
import { zonedDayAt } from '../../schedules/days.queries.js';
import { NO_SCHEDULE } from '../../schedules/schedule.js';
import { runAdvancedTo, runColumns } from '../../schedules/stored-runs.js';
import { NO_TARGET } from '../../schedules/target.js';
import { streakAdvancedTo } from '../streaks/streak.js';
import { Completion } from './completion.entity.js';
import type { CompletionRow, CompletionTables } from './completion-list.queries.js';

export interface NewCompletion {
  userId: string;
  taskId: number;
  at: Date;
  /** The UTC day of `at`. */
  day: Day;
  recordedAt: Date;
  idempotencyKey: string | null;
  amount: number | null;
  note: string | null;
  /** Only if its task has no completion on that day. */
  once: boolean;
}

export interface CompletedTask {
  completion: CompletionRow;
  task: TaskRow;
  /** As they are now. */
  counters?: Counters;
}

/** What most who complete a task want to know of it. */
export interface CountedTask {
  completion: CompletionRow;
  task: Pick<TaskRow, 'id' | 'userId' | 'points' | 'completionCount'>;
  counters?: Pick<Counters, 'points' | 'currentStreak' | 'maxStreak'>;
}

/**
 * Inserts a completion and updates the counters, in one statement and one round trip. Null if the task is not the
 * user's, is archived or needs the judge, or a completion of a later day, in UTC or of
 * the user, was counted already.
 */
export async function insertCompletion(
  database: Database,
  completion: NewCompletion,
): Promise<CompletedTask | null> {
  const [row] = await database.run(counting, completion);
  if (!row) return null;
  const { userId, taskId: id } = completion;
  return {
    task: { id, userId, archivedAt: null, ...NO_SCHEDULE, ...NO_TARGET, ...changed.task.from(row) },
    completion: completionIn(row, completion),
    counters: counterColumns.from(row, 'progress.'),
  };
}

/** The same for whoever wants to know the counts alone: PostgreSQL takes a seventh less for it. */
export async function insertCounted(
  database: Database,
  completion: NewCompletion,
): Promise<CountedTask | null> {
  const [row] = await database.run(countingWithoutTask, completion);
  if (!row) return null;
  const { userId, taskId: id } = completion;
  const { completionCount, total: points, currentStreak, maxStreak } = row;
  const inserted = completionIn(row, completion);
  return {
    completion: inserted,
    task: { id, userId, points: inserted.points, completionCount },
    counters: { points, currentStreak, maxStreak },
  };
}

const completionIn = (
  row: CompletionPart,
  { at, recordedAt, day: _, once: __, ...given }: NewCompletion,
) => ({
  ...given,
  completedAt: at,
  recordedAt,
  day: row.counted_day,
  ...changed.completion.from(row, 'completion.'),
});

/** What is not known before. Every column that is sent takes time at both ends. */
const changed = {
  task: columnsOf(Task, 'id', 'userId', 'archivedAt', ...scheduleColumns, ...hiddenOfTask),
  completion: columnsOf(
    Completion,
    'userId',
    'taskId',
    'completedAt',
    'recordedAt',
    'idempotencyKey',
    'amount',
    'note',
    'day',
    'task',
  ),
};

type CompletionPart = Prefixed<RowOf<typeof changed.completion>, 'completion.'> & { counted_day: Day };

type CountsPart = Pick<TaskRow, 'completionCount'> &
  Pick<Counters, 'currentStreak' | 'maxStreak'> & { total: number };

type Row = RowOf<typeof changed.task> & CompletionPart & Prefixed<Counters, 'progress.'>;

/**
 * Locks the user's counters before the task; every transaction that changes both uses this order. A task that is archived
 * after it was read is not counted, and then there is no id for the completion: all is undone, see `wasArchived`.
 * No task has a later day than its user.
 */
const countingWith = <Row>(task: RawBuilder<unknown>, progress: RawBuilder<unknown>) =>
  statement((_query: Kysely<CompletionTables>, completion: NewCompletion) => {
    const taskId = sql`${completion.taskId}::bigint`;
    const userId = sql`${completion.userId}::uuid`;
    const at = sql`${completion.at}::timestamptz`;
    const utcDay = sql`${completion.day}::date`;
    const userDay = zonedDayAt(at);
    const recordedAt = sql`${completion.recordedAt}::timestamptz`;
    const ids = { taskId, completionId: sql.raw('completion.id') };
    const told = publishIfHeard(
      { kind: 'COMPLETION_RECORDED', userId, at: recordedAt, ids },
      sql.raw('progress.has_feed'),
    );
    return sql<Row>`
    with task as (
      select points from tasks
      where id = ${taskId} and user_id = ${userId} and archived_at is null and not run_needs_lens and ${inTime}
    ), progress as (
      update user_progress set
        points = user_progress.points + task.points, ${streakAdvancedTo(utcDay)},
        ${runAdvancedTo(utcDay, runColumns.utc)}, ${runAdvancedTo(userDay, runColumns.user)}
      from task
      where user_progress.user_id = ${userId}
        and (last_active_on is null or last_active_on <= ${utcDay})
        and (last_user_day is null or last_user_day <= ${userDay}) and not user_run_needs_lens
      returning task.points as earned, coalesce(last_user_day, last_active_on) as counted_day, has_feed${progress}
    ), counted as (
      update tasks set
        completion_count = completion_count + 1,
        last_completed_at = greatest(last_completed_at, ${at}),
        ${runAdvancedTo(sql`counted_day`, runColumns.task)}
      from progress
      where tasks.id = ${taskId} and tasks.user_id = ${userId} and tasks.archived_at is null and not tasks.run_needs_lens
      returning tasks.id as counted_id${task}
    ), completion as (
      insert into task_completions
        (user_id, task_id, points, completed_at, idempotency_key, day, recorded_at, amount, note)
      select ${userId}, counted_id, earned, ${at}, ${completion.idempotencyKey}::text, counted_day,
        ${recordedAt}, ${completion.amount}::numeric, ${completion.note}::text
      from progress left join counted on true
      returning id, points
    )
    select counted.*, progress.*, ${changed.completion.textOf('completion', 'completion.')}, ${told} as told
    from counted, progress, completion`;
  });

export const counting = countingWith<Row>(
  sql`, ${changed.task.textOf('tasks')}`,
  sql`, ${counterColumns.textOf('user_progress', 'progress.')}`,
);

const countingWithoutTask = countingWith<CompletionPart & CountsPart>(
  sql`, completion_count as "completionCount"`,
  sql`, user_progress.points as total, current_streak as "currentStreak", max_streak as "maxStreak"`,
);

/** Deletes a completion, and takes it off the points and counts. Lock the account first. */
export async function deleteCompletion(
  query: Kysely<CompletionTables>,
  { userId, id, taskId }: CompletionRow,
): Promise<void> {
  await sql`
    with undone as (
      delete from task_completions where id = ${id} and user_id = ${userId} returning points
    )
    update user_progress set points = greatest(user_progress.points - undone.points, 0)
    from undone where user_id = ${userId}
  `.execute(query);
  await sql`
    update tasks set
      completion_count = greatest(completion_count - 1, 0),
      last_completed_at = (
        ${lastCompletionOf(userId, sql`${taskId}::bigint`)}
      )
    where id = ${taskId} and user_id = ${userId}
  `.execute(query);
}

/**
 * When a task was last completed: on its latest day, or on one of the two before, since so far may wall clocks lie from
 * each other. The first condition compares whole rows, so that the index that begins with the task is used: in the index
 * by day, a million completions of other tasks may lie in between.
 */
const lastCompletionOf = (userId: string, taskId: RawBuilder<unknown>) => sql`
  select max(nearest.completed_at)
  from (
    select task_completions.day as day from task_completions
    where user_id = ${userId} and (task_id, day) <= (${taskId}, date 'infinity') and task_id >= ${taskId}
    order by task_id desc, day desc limit 1
  ) latest
  cross join generate_series(0, 2) as apart
  cross join lateral (
    select completed_at from task_completions
    where user_id = ${userId} and task_id = ${taskId} and task_completions.day = latest.day - apart
    order by completed_at desc limit 1
  ) nearest`;
