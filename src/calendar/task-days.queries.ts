import { type Kysely, sql } from 'kysely';
import { completionDay, completionTask } from '../completions/completion-day.js';
import type { CompletionTables } from '../completions/completion-list.queries.js';
import { statement } from '../database/statement.js';
import type { Day } from '../streaks/day.js';
import { startOfUserDay, userDayAt } from '../streaks/streak.js';

interface Asked {
  userId: string;
  ids: number[];
  now: Date;
}

/** The run of a task, and what it is judged by. */
export interface TaskRun {
  id: number;
  lastDay: Day | null;
  startedOn: Day | null;
  longest: number;
  today: Day;
  /** When the run ends unless the task is completed before. */
  end: Date | null;
}

const userToday = (now: Date) =>
  userDayAt(sql`${now}::timestamptz`, sql`(${now}::timestamptz at time zone 'UTC')::date`);

export const taskRuns = statement((_query: Kysely<CompletionTables>, { userId, ids, now }: Asked) => {
  const end = startOfUserDay(sql`(tasks.last_day + 2)`);
  return sql<TaskRun>`
    select tasks.id, tasks.last_day as "lastDay", tasks.run_started_on as "startedOn",
      tasks.longest_run as longest, ${userToday(now)} as today, ${end} as end
    from user_progress join tasks on tasks.user_id = user_progress.user_id
    where user_progress.user_id = ${userId} and tasks.user_id = ${userId} and tasks.id = any(${ids}::bigint[])
  `;
});

/** What was done of a task on the user's day today. */
export interface DoneToday {
  id: number;
  date: Day;
  completions: number;
  lastCompletionId: number | null;
}

export const tasksToday = statement((_query: Kysely<CompletionTables>, { userId, ids, now }: Asked) => {
  const ofToday = sql`
    from task_completions
    where user_id = ${userId} and ${completionTask} = given.id and ${completionDay} = today.date`;
  // Without the condition, a plan might look for the last one of today among all of the task.
  const last = sql`
    case when counted.completions > 0 then (
      select id ${ofToday} order by completed_at desc, id desc limit 1
    ) end`;
  return sql<DoneToday>`
    select given.id, today.date, counted.completions, ${last} as "lastCompletionId"
    from user_progress
      cross join lateral (select ${userToday(now)} as date) today
      cross join unnest(${ids}::bigint[]) as given (id)
      cross join lateral (select count(*)::int as completions ${ofToday}) counted
    where user_progress.user_id = ${userId}
  `;
});
