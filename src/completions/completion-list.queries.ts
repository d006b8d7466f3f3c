import type { Kysely } from 'kysely';
import { columnsOf, type RowOf } from '../database/columns.js';
import { List, Lists } from '../database/page.js';
import { statement } from '../database/statement.js';
import type { Columns } from '../database/tables.js';
import type { Owner, TaskTables } from '../tasks/task.queries.js';
import { Completion } from './completion.entity.js';

export type CompletionTables = TaskTables & { task_completions: Columns<CompletionRow, 'id'> };

export const completionColumns = columnsOf(Completion, 'task');

/** A completion as it is read, with owner and task by id. */
export type CompletionRow = RowOf<typeof completionColumns>;

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
