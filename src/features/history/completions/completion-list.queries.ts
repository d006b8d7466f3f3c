import { type Kysely, sql } from 'kysely';
import { type Columns, columnsOf, type RowOf } from '../../../database/columns.js';
import { List, Lists } from '../../../database/cursor.js';
import { statement } from '../../../database/statement.js';
import type { Owner, TaskTables } from '../../habits/task.queries.js';
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

/** By the user's day, then by the instant: after travel westwards, a day may have later instants than the next one. */
export const newestFirst = {
  all: selectCompletions,
  day: 'day',
  by: ['completed_at', 'id'] as const,
  order: 'desc' as const,
  positionOf: ({ day, completedAt, id }: CompletionRow) => ({ day, at: completedAt, id }),
};

/** Many lists, of which each is that of a task. */
const ofTask = { ...newestFirst, column: 'task_id', idOf: ({ taskId }: { taskId: number }) => taskId };

export const completions = {
  newestFirst: new List(newestFirst),
  /** For many tasks at once. */
  ofTasks: new Lists(ofTask),
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

export const EVER = { from: '-infinity', to: 'infinity' };

const selectBetween = (query: Kysely<CompletionTables>, { userId, from, to }: BetweenDays) =>
  selectCompletions(query, { userId }).where(sql<boolean>`day between ${from}::date and ${to}::date`);

const selectOfTask = (query: Kysely<CompletionTables>, days: BetweenDays & { taskId: number }) =>
  selectBetween(query, days)
    .where(sql<boolean>`(task_id, day) >= (${days.taskId}, ${days.from}::date)`)
    .where(sql<boolean>`(task_id, day) <= (${days.taskId}, ${days.to}::date)`);

export const filteredCompletions = {
  newestFirst: new List({ ...newestFirst, all: selectBetween }),
  ofTask: new Lists({ ...ofTask, all: selectOfTask }),
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
      : sql`(task_completions.task_id, task_completions.day) >= (${taskId}, ${from}::date)
        and (task_completions.task_id, task_completions.day) <= (${taskId}, ${to}::date)`;
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from task_completions where user_id = ${userId} and ${areWithin}`.execute(
    query,
  );
  return rows[0]?.count ?? 0;
}
