import { type Kysely, type RawBuilder, sql } from 'kysely';
import { type Columns, columnsOf, type RowOf } from '../database/columns.js';
import { List, Lists } from '../database/page.js';
import { statement } from '../database/statement.js';
import { completionTask } from '../schedules/recount-runs.js';
import type { Owner, TaskTables } from '../tasks/task.queries.js';
import { Completion } from './completion.entity.js';

export type CompletionTables = TaskTables & { task_completions: Columns<CompletionRow, 'id'> };

export const completionColumns = columnsOf(Completion, 'task');

/** A completion as it is read, with owner and task by id. */
export type CompletionRow = RowOf<typeof completionColumns>;

/** The weight of a completion that is only counted: it is not sent, but it takes time all the same. */
export const COUNTED_BYTES = 10;

export const selectCompletions = (query: Kysely<CompletionTables>, { userId }: Owner) =>
  query
    .selectFrom('task_completions')
    .where('user_id', '=', userId)
    .select(completionColumns.of('task_completions'));

export const newestFirst = {
  all: selectCompletions,
  by: ['completed_at', 'id'] as const,
  order: 'desc' as const,
  positionOf: ({ completedAt, id }: CompletionRow) => ({ at: completedAt, id }),
};

export const completions = {
  newestFirst: new List(newestFirst),
  /** For many tasks at once. */
  ofTasks: new Lists({ ...newestFirst, column: 'task_id', idOf: ({ taskId }: CompletionRow) => taskId }),
  byId: statement((query: Kysely<CompletionTables>, { id, userId }: Owner & { id: number }) =>
    selectCompletions(query, { userId }).where('id', '=', id),
  ),
};

/** The user's days between which completions lie, both included. */
export interface BetweenDays {
  userId: string;
  from: string;
  to: string;
}

interface OfTask extends BetweenDays {
  taskId: number;
}

export const EVER = { from: '-infinity', to: 'infinity' };

type Part = RawBuilder<unknown>;

/** How the completions of a list are found by day. */
interface ByDay {
  on: (day: Part) => Part;
  upTo: Part;
  since: Part;
  order: Part[];
}

/** The days are no single ones for the planner, so that it takes the index by day, and not that by time. */
const ofUser = ({ userId, from, to }: BetweenDays): ByDay => ({
  on: (day) => sql`user_id = ${userId} and task_completions.day between ${day} and ${day}`,
  upTo: sql`user_id = ${userId} and task_completions.day <= ${to}::date`,
  since: sql`user_id = ${userId} and task_completions.day >= ${from}::date`,
  order: [sql`task_completions.day`],
});

/** For the comparison of rows that begin with the task, see `lastCompletionOf`. */
const ofTask = ({ userId, taskId, from, to }: OfTask): ByDay => ({
  on: (day) => sql`user_id = ${userId} and ${completionTask} = ${taskId} and task_completions.day = ${day}`,
  upTo: sql`user_id = ${userId} and (${completionTask}, task_completions.day) <= (${taskId}, ${to}::date)
    and ${completionTask} >= ${taskId}`,
  since: sql`user_id = ${userId} and (${completionTask}, task_completions.day) >= (${taskId}, ${from}::date)
    and ${completionTask} <= ${taskId}`,
  order: [completionTask, sql`task_completions.day`],
});

/**
 * The lists are ordered by instants, and so indexes of instants are read, no further than the first and the last
 * instant of the days. These are found by day, two days apart at most: so far may wall clocks lie from each other. The
 * rest of a long day beside them is not read.
 */
const edge = ({ on, order }: ByDay, within: Part, isLast: boolean) => {
  const direction = isLast ? sql`desc` : sql``;
  const day = isLast ? sql`edge.day - apart` : sql`edge.day + apart`;
  const ordered = sql.join([...order, sql`completed_at`].map((column) => sql`${column} ${direction}`));
  return sql`(
    select ${isLast ? sql`max` : sql`min`}(nearest.completed_at)
    from (
      select task_completions.day as day from task_completions where ${within} order by ${ordered} limit 1
    ) edge
    cross join generate_series(0, 2) as apart
    cross join lateral (
      select completed_at from task_completions where ${on(day)} order by ${ordered} limit 1
    ) nearest
  )`;
};

const oldest = (list: ByDay) => edge(list, list.since, false);
const newest = (list: ByDay) => edge(list, list.upTo, true);

/** No index has the day like this: one by day would be read as a whole, and sorted, for a page of few rows. */
const filteredDay = sql`(task_completions.day + 0)`;

const selectOnDays = (query: Kysely<CompletionTables>, { userId, from, to }: BetweenDays) =>
  selectCompletions(query, { userId }).where(
    sql<boolean>`${filteredDay} between ${from}::date and ${to}::date`,
  );

const selectBetween = (query: Kysely<CompletionTables>, days: BetweenDays) =>
  selectOnDays(query, days)
    .where(sql<boolean>`completed_at >= ${oldest(ofUser(days))}`)
    .where(sql<boolean>`completed_at <= ${newest(ofUser(days))}`);

const selectOfTask = (query: Kysely<CompletionTables>, days: OfTask) =>
  selectOnDays(query, days)
    .where(sql<boolean>`(task_id, completed_at) >= (${days.taskId}, ${oldest(ofTask(days))})`)
    .where(sql<boolean>`(task_id, completed_at) <= (${days.taskId}, ${newest(ofTask(days))})`);

export const filteredCompletions = {
  newestFirst: new List({ ...newestFirst, all: selectBetween }),
  ofTask: new Lists({
    ...newestFirst,
    all: selectOfTask,
    column: 'task_id',
    idOf: ({ taskId }: { taskId: number }) => taskId,
  }),
};

/** How many completions lie on these days: of the user, or of one task. */
export async function countOnDays(
  query: Kysely<CompletionTables>,
  { userId, from, to }: BetweenDays,
  taskId: number | null,
): Promise<number> {
  const areWithin =
    taskId === null
      ? sql`task_completions.day between ${from}::date and ${to}::date`
      : sql`(${completionTask}, task_completions.day) >= (${taskId}, ${from}::date)
        and (${completionTask}, task_completions.day) <= (${taskId}, ${to}::date)`;
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from task_completions where user_id = ${userId} and ${areWithin}`.execute(
    query,
  );
  return rows[0]?.count ?? 0;
}
