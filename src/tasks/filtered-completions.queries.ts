import { type Kysely, sql } from 'kysely';
import { List, Lists } from '../database/page.js';
import { statement } from '../database/statement.js';
import { completionDay, completionTask } from './completion-day.js';
import { newestFirst, selectCompletions, type TaskTables } from './task.queries.js';

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

/**
 * The lists are ordered by instants, so indexes of instants are read, and no further than a day of any wall clock can
 * lie from the same day in UTC: fourteen hours one way, and eighteen the other.
 */
const begin = ({ from }: BetweenDays) => sql`(${from}::date - 1)::timestamp at time zone 'UTC'`;
const end = ({ to }: BetweenDays) => sql`(${to}::date + 2)::timestamp at time zone 'UTC'`;

/** No index has the day like this: one by day would be read as a whole, and sorted, for a page of few rows. */
const filteredDay = sql`(${completionDay} + 0)`;

const selectOnDays = (query: Kysely<TaskTables>, { userId, from, to }: BetweenDays) =>
  selectCompletions(query, { userId }).where(
    sql<boolean>`${filteredDay} between ${from}::date and ${to}::date`,
  );

const selectBetween = (query: Kysely<TaskTables>, days: BetweenDays) =>
  selectOnDays(query, days)
    .where(sql<boolean>`completed_at >= ${begin(days)}`)
    .where(sql<boolean>`completed_at < ${end(days)}`);

/** For the comparison of rows that begin with the task, see `lastCompletionOf`. */
const selectOfTask = (query: Kysely<TaskTables>, days: OfTask) =>
  selectOnDays(query, days)
    .where(sql<boolean>`(task_id, completed_at) >= (${days.taskId}, ${begin(days)})`)
    .where(sql<boolean>`(task_id, completed_at) < (${days.taskId}, ${end(days)})`);

export const filteredCompletions = {
  newestFirst: new List({ ...newestFirst, all: selectBetween }),
  ofTask: new Lists({
    ...newestFirst,
    all: selectOfTask,
    column: 'task_id',
    idOf: ({ taskId }: { taskId: number }) => taskId,
  }),
  counts: {
    ofUser: statement((_query: Kysely<TaskTables>, { userId, from, to }: BetweenDays) => {
      const day = sql`${completionDay} between ${from}::date and ${to}::date`;
      return sql<{ count: number }>`
        select count(*)::int as count from task_completions where user_id = ${userId} and ${day}`;
    }),
    ofTask: statement((_query: Kysely<TaskTables>, { userId, from, to, taskId }: OfTask) => {
      const first = sql`(${completionTask}, ${completionDay}) >= (${taskId}, ${from}::date)`;
      const last = sql`(${completionTask}, ${completionDay}) <= (${taskId}, ${to}::date)`;
      return sql<{ count: number }>`
          select count(*)::int as count from task_completions where user_id = ${userId} and ${first} and ${last}`;
    }),
  },
};
