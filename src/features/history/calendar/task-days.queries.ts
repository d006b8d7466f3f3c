import { type Kysely, type RawBuilder, sql } from 'kysely';
import { statement } from '../../../database/statement.js';
import type { UserProgress } from '../../account/progress.entity.js';
import type { DayNumber } from '../../schedules/day.js';
import { dayNumber, startOfUserDay, userDayAt } from '../../schedules/days.queries.js';
import type { AmountOfDay, RestRow } from '../../schedules/judge.js';
import { restsOfAll, restsOfTask } from '../../schedules/rests.queries.js';
import type { StoredSchedule } from '../../schedules/schedule.js';
import type { JudgedTarget } from '../../schedules/target.js';
import { amountOfOne, doesAddUp, goalOfTaskReached, thousandths } from '../../schedules/target.queries.js';
import type { CompletionTables } from '../completions/completion-list.queries.js';

interface Asked {
  userId: string;
  ids: number[];
  /** Those of them of which is read what was done today. */
  todays: number[];
  now: Date;
}

/** What was done of a task on the user's day today. */
export interface DoneToday {
  completionCount: number;
  lastCompletionId: number | null;
  amount: number;
}

/** The run of a task, and what it and today are judged by. */
export interface TaskDays
  extends DoneToday,
    StoredSchedule,
    JudgedTarget,
    Pick<UserProgress, 'weekStartsOn'> {
  id: number;
  today: DayNumber;
  lastDay: DayNumber | null;
  count: number;
  longest: number;
  /** When the run ends if it does so with the day after its last one. */
  nextEnd: Date | null;
  /**
   * The kept days from a week or month before today on, where that counts; after travel westwards some may lie ahead, and
   * these are read of every task.
   */
  kept: AmountOfDay[] | null;
  /** The day on which the run began. */
  startedOn: DayNumber | null;
  /** Where it is due every so many days. */
  lastKeptBefore: DayNumber | null;
  /** From the period of its last day on. */
  rests: RestRow[] | null;
  /** In one row. */
  restsOfAll: RestRow[] | null;
}

export const taskDays = statement((_query: Kysely<CompletionTables>, { userId, ids, todays, now }: Asked) => {
  const ofToday = sql`
    from task_completions
    where user_id = ${userId} and task_completions.task_id = tasks.id and task_completions.day = today.date`;
  // Without the condition, a plan might look for the last one of today among all of the task.
  const last = sql`
    case when counted."completionCount" > 0 then (
      select id ${ofToday} order by completed_at desc, id desc limit 1
    ) end`;
  const kept = (where: RawBuilder<unknown>, more = sql``) => sql`
    select ${dayNumber(sql`task_completions.day`)} as day ${more} from task_completions
    where user_id = ${userId} and ${where}
    group by task_completions.task_id, task_completions.day having ${goalOfTaskReached}`;
  const place = sql`(task_completions.task_id, task_completions.day)`;
  const days = sql`case
    when times is null and target_period is null then 0
    when coalesce(period, target_period) = 'WEEK' then 6
    else 30 end`;
  const around = sql`${place} >= (tasks.id, today.date - ${days}) and task_completions.task_id <= tasks.id`;
  const before = kept(sql`${place} < (tasks.id, today.date) and task_completions.task_id >= tasks.id`);
  // What is due every so many days, and is kept today, may have been kept before at any time in its run.
  const since = sql`case
    when tasks.target_kind is not null then least(tasks.run_started_on, today.date) - 30
    when tasks.every_days is null or (tasks.last_day >= today.date) is not true then least(tasks.last_day, today.date) - 30
    when tasks.run_started_on <= today.date then tasks.run_started_on
    else '-infinity' end`;
  // After travel westwards, a run that needs no judge may have rests before its last day.
  const mayRest = sql`(tasks.run_needs_lens or tasks.last_day > today.date)`;
  return sql<TaskDays>`
    select tasks.id, weekdays, every_days as "everyDays", times, period, has_grace_day as "hasGraceDay",
      week_starts_on as "weekStartsOn",
      target_amount as "targetAmount", target_kind as "targetKind", target_period as "targetPeriod",
      ${dayNumber(sql`tasks.run_started_on`)} as "startedOn",
      ${dayNumber(sql`today.date`)} as today, ${dayNumber(sql`tasks.last_day`)} as "lastDay",
      tasks.run_count as count, tasks.longest_run as longest, ${startOfUserDay(sql`(tasks.last_day + 2)`)} as "nextEnd",
      case when ${doesAddUp} or times is not null or tasks.last_day > today.date then (
        select json_agg(days order by day) from (${kept(around, sql`, ${thousandths(sql`1`)} as amount`)}) days
      ) end as kept,
      case when every_days is null or last_day < today.date then ${dayNumber(sql`last_day`)} else (
        ${before} order by task_completions.task_id desc, task_completions.day desc limit 1
      ) end as "lastKeptBefore",
      case when ${mayRest} then ${restsOfTask(userId, since)} end as rests,
      case when tasks.id = min(tasks.id) filter (where ${mayRest}) over () then ${restsOfAll(userId)} end as "restsOfAll",
      counted."completionCount", ${last} as "lastCompletionId", counted.amount
    from user_progress
      cross join lateral (select ${userDayAt(sql`${now}::timestamptz`)} as date) today
      join tasks on tasks.user_id = user_progress.user_id
      cross join lateral (
        select count(*)::int as "completionCount",
          coalesce(sum(coalesce(task_completions.amount, ${amountOfOne})), 0) as amount
        ${ofToday} and tasks.id = any(${todays}::bigint[])
      ) counted
    where user_progress.user_id = ${userId} and tasks.user_id = ${userId} and tasks.id = any(${ids}::bigint[])
  `;
});
