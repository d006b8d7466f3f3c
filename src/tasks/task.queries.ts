import { type Kysely, sql } from 'kysely';
import type { AccountTables } from '../accounts/account.queries.js';
import type { Columns } from '../database/tables.js';
import type { Completion } from './completion.entity.js';
import type { Task } from './task.entity.js';

export type TaskTables = AccountTables & {
  tasks: Columns<Task, 'id'>;
  task_completions: Columns<Omit<Completion, 'task'>, 'id'>;
};

/** A completion as it is read: its owner and task by their ids. */
export type Recorded = Omit<Completion, 'task'>;

/** The order of lists of tasks, oldest first. */
export const taskKey = sql`(created_at, id)`;

export const selectTasks = (query: Kysely<TaskTables>, userId: string) =>
  query
    .selectFrom('tasks')
    .where('user_id', '=', userId)
    .select([
      'id',
      'user_id as userId',
      'challenge_template_id as challengeTemplateId',
      'title',
      'description',
      'points',
      'is_daily_routine as isDailyRoutine',
      'completion_count as completionCount',
      'last_completed_at as lastCompletedAt',
      'created_at as createdAt',
      'updated_at as updatedAt',
    ])
    .orderBy('created_at')
    .orderBy('id');

/** The order of lists of completions, newest first. */
export const completionKey = sql`(completed_at, id)`;

export const selectCompletions = (query: Kysely<TaskTables>, userId: string) =>
  query
    .selectFrom('task_completions')
    .where('user_id', '=', userId)
    .select([
      'id',
      'user_id as userId',
      'task_id as taskId',
      'points',
      'completed_at as completedAt',
      'idempotency_key as idempotencyKey',
    ])
    .orderBy('completed_at', 'desc')
    .orderBy('id', 'desc');
