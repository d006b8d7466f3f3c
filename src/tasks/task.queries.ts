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

/** Of each task its newest completions, in one statement. */
export const selectNewestOfEach = (
  query: Kysely<TaskTables>,
  userId: string,
  taskIds: number[],
  limit: number,
) =>
  sql<Recorded>`
    select newest.id, newest.user_id as "userId", newest.task_id as "taskId", newest.points,
      newest.completed_at as "completedAt", newest.idempotency_key as "idempotencyKey"
    from unnest(${taskIds}::bigint[]) as wanted (task_id)
    cross join lateral (
      select * from task_completions
      where user_id = ${userId} and task_id = wanted.task_id
      order by completed_at desc, id desc
      limit ${limit}
    ) newest
  `.execute(query);

/** Of each template its oldest linked tasks, in one statement. */
export const selectOldestLinkedToEach = (
  query: Kysely<TaskTables>,
  userId: string,
  templateIds: number[],
  limit: number,
) =>
  sql<Task>`
    select oldest.id, oldest.user_id as "userId", oldest.challenge_template_id as "challengeTemplateId",
      oldest.title, oldest.description, oldest.points, oldest.is_daily_routine as "isDailyRoutine",
      oldest.completion_count as "completionCount", oldest.last_completed_at as "lastCompletedAt",
      oldest.created_at as "createdAt", oldest.updated_at as "updatedAt"
    from unnest(${templateIds}::bigint[]) as wanted (template_id)
    cross join lateral (
      select * from tasks
      where user_id = ${userId} and challenge_template_id = wanted.template_id
      order by created_at, id
      limit ${limit}
    ) oldest
  `.execute(query);
