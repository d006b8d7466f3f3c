import { type Kysely, type RawBuilder, sql } from 'kysely';
import { columnsOf, type Prefixed, type RowOf } from '../../../database/columns.js';
import { inTime } from '../../../database/outcome.js';
import { statement } from '../../../database/statement.js';
import type { Each, OneOrMany, Together } from '../../../database/together.js';
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
  together: Together<NewCompletion, Row>,
  completion: NewCompletion,
): Promise<CompletedTask | null> {
  const row = await together.run(completion);
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
  together: Together<NewCompletion, CountedRow>,
  completion: NewCompletion,
): Promise<CountedTask | null> {
  const row = await together.run(completion);
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

type CountedRow = CompletionPart & CountsPart;

type Row = RowOf<typeof changed.task> & CompletionPart & Prefixed<Counters, 'progress.'>;

/** Where a statement finds what is to be recorded, as expressions of SQL. */
interface Asked extends Record<Exclude<keyof NewCompletion, 'once'>, RawBuilder<unknown>> {
  /** Reads the tasks that are to be counted, with their points. */
  tasks: RawBuilder<unknown>;
  /** What else of them the rest of the statement reads. */
  kept: RawBuilder<unknown>;
  /** What tells whose a row is. */
  of: string[];
}

/** In the statement for one, these are its parameters. */
const asParameters = (completion: NewCompletion): Asked => {
  const taskId = sql`${completion.taskId}::bigint`;
  const userId = sql`${completion.userId}::uuid`;
  return {
    tasks: sql`
      select points from tasks
      where id = ${taskId} and user_id = ${userId} and archived_at is null and not run_needs_lens and ${inTime}`,
    kept: sql``,
    of: [],
    userId,
    taskId,
    at: sql`${completion.at}::timestamptz`,
    day: sql`${completion.day}::date`,
    recordedAt: sql`${completion.recordedAt}::timestamptz`,
    idempotencyKey: sql`${completion.idempotencyKey}::text`,
    amount: sql`${completion.amount}::numeric`,
    note: sql`${completion.note}::text`,
  };
};

const asked = {
  userId: sql.ref('whose'),
  taskId: sql.ref('which'),
  at: sql.ref('done_at'),
  day: sql.ref('utc_day'),
  recordedAt: sql.ref('noted_at'),
  idempotencyKey: sql.ref('once_by'),
  amount: sql.ref('how_much'),
  note: sql.ref('remark'),
};

/**
 * In the statement for several users, columns. Whose counters or task are locked is left out, and nobody waits or fails
 * for it. A key that is used up would make all fail.
 */
const asColumns = (completions: Each<NewCompletion>): Asked => {
  const kept = sql.join(Object.values(asked));
  return {
    tasks: sql`
      select ${kept}, tasks.points
      from unnest(${completions.userId}::uuid[], ${completions.taskId}::bigint[], ${completions.at}::timestamptz[],
          ${completions.day}::date[], ${completions.recordedAt}::timestamptz[], ${completions.idempotencyKey}::text[],
          ${completions.amount}::numeric[], ${completions.note}::text[]) as asked (${kept})
        join user_progress on user_progress.user_id = ${asked.userId}
        join tasks on tasks.id = ${asked.taskId} and tasks.user_id = ${asked.userId}
      where archived_at is null and not run_needs_lens and ${inTime} and (${asked.idempotencyKey} is null or not exists (
        select from task_completions where user_id = ${asked.userId} and idempotency_key = ${asked.idempotencyKey}))
      for no key update of user_progress, tasks skip locked`,
    kept: sql`, ${kept}`,
    of: ['whose'],
    ...asked,
  };
};

/**
 * Locks the user's counters before the task; every transaction that changes both uses this order. A task that is archived
 * after it was read is not counted, and then there is no id for the completion: all is undone, see `wasArchived`.
 * No task has a later day than its user.
 */
const countingFrom = <Row>(
  { tasks, kept, of, userId, taskId, at, day, recordedAt, idempotencyKey, amount, note }: Asked,
  { task, progress, names }: Shown,
) => {
  const userDay = zonedDayAt(at);
  const ids = { taskId, completionId: sql.raw('completion.id') };
  const told = publishIfHeard(
    { kind: 'COMPLETION_RECORDED', userId, at: recordedAt, ids },
    sql.raw('progress.has_feed'),
  );
  return sql<Row>`
    with task as (${tasks}
    ), progress as (
      update user_progress set
        points = user_progress.points + task.points, ${streakAdvancedTo(day)},
        ${runAdvancedTo(day, runColumns.utc)}, ${runAdvancedTo(userDay, runColumns.user)}
      from task
      where user_progress.user_id = ${userId}
        and (last_active_on is null or last_active_on <= ${day})
        and (last_user_day is null or last_user_day <= ${userDay}) and not user_run_needs_lens
      returning task.points as earned, coalesce(last_user_day, last_active_on) as counted_day, has_feed${kept}${progress}
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
      select ${userId}, counted_id, earned, ${at}, ${idempotencyKey}, counted_day, ${recordedAt}, ${amount}, ${note}
      from progress left join counted on counted_id = ${taskId}
      returning id, points, task_id
    )
    select counted.*, ${sql.join([...names, ...of].map((name) => sql.id(name)))}, counted_day,
      ${changed.completion.textOf('completion', 'completion.')}, ${told} as told
    from progress join counted on counted_id = ${taskId} join completion on completion.task_id = ${taskId}`;
};

/** What is sent back beside the completion. */
interface Shown {
  task: RawBuilder<unknown>;
  progress: RawBuilder<unknown>;
  /** Of the columns of `progress`. */
  names: string[];
}

const countingWith = <Row>(shown: Shown): OneOrMany<NewCompletion, Row> => ({
  one: statement((_query: Kysely<CompletionTables>, completion: NewCompletion) =>
    countingFrom<Row>(asParameters(completion), shown),
  ),
  many: statement((_query: Kysely<CompletionTables>, completions: Each<NewCompletion>) =>
    countingFrom<Row & { whose: string }>(asColumns(completions), shown),
  ),
});

export const counting = countingWith<Row>({
  task: sql`, ${changed.task.textOf('tasks')}`,
  progress: sql`, ${counterColumns.textOf('user_progress', 'progress.')}`,
  names: counterColumns.names.map((name) => `progress.${name}`),
});

export const countingWithoutTask = countingWith<CountedRow>({
  task: sql`, completion_count as "completionCount"`,
  progress: sql`, user_progress.points as total, current_streak as "currentStreak", max_streak as "maxStreak"`,
  names: ['total', 'currentStreak', 'maxStreak'],
});

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
