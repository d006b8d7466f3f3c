import { type Kysely, type RawBuilder, sql } from 'kysely';
import { type Day, daysAfter, daysBetween, startOf } from '../../schedules/day.js';
import { fixedDays } from '../../schedules/days.queries.js';
import { targetOfDay } from '../../schedules/target.queries.js';
import type { CompletionTables } from '../completions/completion-list.queries.js';

/** A task that is linked to challenges, or was when they ended. */
export interface Linked {
  id: number;
  lastCompletedAt: Date | null;
  /** Of a day. */
  target: string | null;
}

/** A day of the user on which a task was kept. */
export interface KeptDay {
  taskId: number;
  day: Day;
}

/** Index lookups per statement; each finds the previous active day of a task. */
const CHUNK = 5_000;

/** The bytes that a lookup counts as: it sends nothing, but it takes time all the same. */
const STEP_BYTES = 160;

/** A day of the user begins at most so long before its date does in UTC. */
const LONGEST_LEAD_DAYS = 2;

type OfChallenge = Linked & { challengeId: number; templateId: null; days: null };
type Begun = { id: null; challengeId: number; firstDay: Day };
type Duration = { id: null; challengeId: null; templateId: number; days: number };

export interface LinkedToEach {
  tasks: Linked[];
  /** By challenge. */
  taskIds: Map<number, number[]>;
  /** By challenge. */
  firstDays: Map<number, Day>;
  /** In days, by template. */
  durations: Map<number, number>;
}

/** When the challenges began, how many days they last, and the tasks that are linked to them, in one statement. */
export async function selectLinked(
  query: Kysely<CompletionTables>,
  userId: string,
  challenges: readonly { id: number; templateId: number }[],
): Promise<LinkedToEach> {
  const ids = challenges.map(({ id }) => id);
  const templateIds = [...new Set(challenges.map(({ templateId }) => templateId))];
  const linked = sql`
    select tasks.id, challenge.id as "challengeId", null::bigint as "templateId",
      last_completed_at as "lastCompletedAt", ${targetOfDay}::text as target, null::int as days, null::date as "firstDay"
    from user_challenges challenge`;
  const isAsked = sql`challenge.user_id = ${userId} and challenge.id = any(${ids}::bigint[])`;
  const { rows } = await sql<OfChallenge | Begun | Duration>`
    ${linked} join tasks on tasks.user_id = challenge.user_id and challenge_template_id = template_id
    where ${isAsked} and linked_task_ids is null
    union all
    ${linked} join tasks on tasks.user_id = challenge.user_id and tasks.id = any(linked_task_ids)
    where ${isAsked}
    union all
    select null, user_challenges.id, null, null, null, null, ${fixedDays.startedOn}
    from user_challenges join user_progress on user_progress.user_id = user_challenges.user_id
    where user_challenges.user_id = ${userId} and user_challenges.id = any(${ids}::bigint[])
    union all
    select null, null, id, null, null, duration_days, null from challenge_templates
    where id = any(${templateIds}::bigint[])`.execute(query);
  const tasks = new Map<number, Linked>();
  const taskIds = new Map<number, number[]>();
  const firstDays = new Map<number, Day>();
  const durations = new Map<number, number>();
  for (const row of rows)
    if (row.challengeId === null) durations.set(row.templateId, row.days);
    else if (row.id === null) firstDays.set(row.challengeId, row.firstDay);
    else {
      tasks.set(row.id, row);
      taskIds.set(row.challengeId, [...(taskIds.get(row.challengeId) ?? []), row.id]);
    }
  return { tasks: [...tasks.values()], taskIds, firstDays, durations };
}

/**
 * The days from `first` on, on which a task was kept. The cost depends on the number of days, not of completions: one
 * index lookup per task and day, and the completions of a day where there is a target.
 */
export async function keptDays(
  query: Kysely<CompletionTables>,
  userId: string,
  { tasks, first, today }: { tasks: Linked[]; first: Day; today: Day },
  /** Called after each statement with the number of bytes that it read. */
  countRead: (bytes: number) => void,
): Promise<KeptDay[]> {
  const days: KeptDay[] = [];
  const since = startOf(daysAfter(first, -LONGEST_LEAD_DAYS));
  const active = tasks.filter(({ lastCompletedAt }) => lastCompletedAt && lastCompletedAt >= since);
  const chunk = Math.max(Math.floor(CHUNK / Math.max(daysBetween(first, today) + 1, 1)), 1);
  for (let begin = 0; begin < active.length; begin += chunk) {
    const found = await followDays(query, userId, active.slice(begin, begin + chunk), first);
    countRead(found.length * STEP_BYTES);
    for (const { taskId, day, isKept } of found) if (isKept) days.push({ taskId, day });
  }
  return days;
}

/** From each task's last active day back to the first one. For the row comparison see `lastCompletionOf`. */
async function followDays(query: Kysely<CompletionTables>, userId: string, tasks: Linked[], first: Day) {
  const lastDayOf = (task: RawBuilder<unknown>, before: RawBuilder<unknown>) => sql`
    select task_completions.day as day from task_completions
    where user_id = ${userId} and (task_completions.task_id, task_completions.day) < (${task}, ${before})
      and (task_completions.task_id, task_completions.day) >= (${task}, ${first}::date)
    order by task_completions.task_id desc, task_completions.day desc limit 1`;
  const { rows } = await sql<KeptDay & { isKept: boolean }>`
    with recursive done (task_id, target, day) as (
      select task.id, task.target, last.day
      from unnest(
        ${tasks.map(({ id }) => id)}::bigint[], ${tasks.map(({ target }) => target)}::numeric[]
      ) as task (id, target)
      cross join lateral (${lastDayOf(sql`task.id`, sql`'infinity'::date`)}) last
      union all
      select task_id, target, last.day
      from done cross join lateral (${lastDayOf(sql`done.task_id`, sql`done.day`)}) last
    )
    select task_id as "taskId", day, target is null or (
      select sum(coalesce(task_completions.amount, done.target)) from task_completions
      where user_id = ${userId} and (task_completions.task_id, task_completions.day) = (done.task_id, done.day)
    ) >= target as "isKept"
    from done`.execute(query);
  return rows;
}
