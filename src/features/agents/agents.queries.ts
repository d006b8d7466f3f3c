import { type Kysely, sql } from 'kysely';
import { statement } from '../../database/statement.js';
import type { Owner, TaskTables } from '../habits/task.queries.js';
import type { CompletionTables } from '../history/completions/completion-list.queries.js';
import type { Day } from '../schedules/day.js';

/** The latest completion of a task, of one amount on one day. */
export interface LastRecorded {
  id: number;
  recordedAt: Date;
}

type SameCompletion = Owner & { taskId: number; day: Day; amount: number | null };

/** The plan must not walk through all of a user by id, in search of a task that was not done on the day. */
export const lastRecorded = statement(
  (_query: Kysely<CompletionTables>, { userId, taskId, day, amount }: SameCompletion) => sql<LastRecorded>`
    with same as materialized (
      select id, recorded_at as "recordedAt" from task_completions
      where user_id = ${userId} and (task_id, task_completions.day) = (${taskId}::bigint, ${day}::date)
        and amount is not distinct from ${amount}::numeric
    )
    select id, "recordedAt" from same order by id desc limit 1`,
);

export interface Named {
  id: number;
  title: string;
  isArchived: boolean;
}

/** Reads them all: a user has a bounded number. */
export const namesOfTasks = statement((query: Kysely<TaskTables>, { userId }: Owner) =>
  query
    .selectFrom('tasks')
    .where('user_id', '=', userId)
    .select(['id', 'title', sql<boolean>`archived_at is not null`.as('isArchived')])
    .orderBy('id'),
);
