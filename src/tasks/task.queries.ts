import { type Kysely, sql } from 'kysely';
import type { AccountTables } from '../accounts/account.queries.js';
import { columnsOf, type RowOf } from '../database/columns.js';
import type { Columns } from '../database/tables.js';
import { Completion } from './completion.entity.js';
import { Task } from './task.entity.js';

export type TaskTables = AccountTables & {
  tasks: Columns<Task, 'id'>;
  task_completions: Columns<Recorded, 'id'>;
};

export const taskColumns = columnsOf(Task);
export const completionColumns = columnsOf(Completion, 'task');

/** A completion as it is read: its owner and task by their ids. */
export type Recorded = RowOf<typeof completionColumns>;

/** The order of lists of tasks, oldest first. */
export const taskKey = sql`(created_at, id)`;

export const selectTasks = (query: Kysely<TaskTables>, userId: string) =>
  query
    .selectFrom('tasks')
    .where('user_id', '=', userId)
    .select(taskColumns.of('tasks'))
    .orderBy('created_at')
    .orderBy('id');

/** The order of lists of completions, newest first. */
export const completionKey = sql`(completed_at, id)`;

export const selectCompletions = (query: Kysely<TaskTables>, userId: string) =>
  query
    .selectFrom('task_completions')
    .where('user_id', '=', userId)
    .select(completionColumns.of('task_completions'))
    .orderBy('completed_at', 'desc')
    .orderBy('id', 'desc');
