import { type Kysely, type RawBuilder, sql } from 'kysely';
import { completionDay, completionTask } from '../completions/completion-day.js';
import type { CompletionTables } from '../completions/completion-list.queries.js';
import { type Day, daysAfter, daysBetween } from '../schedules/day.js';

/** A task that is linked to a template. */
export interface Linked {
  id: number;
  templateId: number;
  lastCompletedAt: Date | null;
}

/** A day of the user with a completion of a linked task, and the time of the last one. */
export interface DoneDay {
  templateId: number;
  day: Day;
  lastAt: Date;
}

/**
 * Index lookups per statement; each finds the previous active day of a task. The embedded database serves no one else
 * meanwhile.
 */
const CHUNK = 5_000;

/** In bytes: the weight of a lookup. It sends nothing, but it takes time all the same. */
const STEP = 160;

/** A user who has travelled westwards completes tasks on days before those that were counted already. */
const DAYS_TWICE = 3;

type OfTemplate = Linked & { days: null };
type Duration = { id: null; templateId: number; days: number };

/** How many days the templates last, and the tasks that are linked to them: one statement for both. */
export async function selectLinked(
  query: Kysely<CompletionTables>,
  userId: string,
  templateIds: number[],
): Promise<{ tasks: Linked[]; durations: Map<number, number> }> {
  const { rows } = await sql<OfTemplate | Duration>`
    select id, challenge_template_id as "templateId", last_completed_at as "lastCompletedAt", null::int as days
    from tasks where user_id = ${userId} and challenge_template_id = any(${templateIds}::bigint[])
    union all
    select null, id, null, duration_days from challenge_templates where id = any(${templateIds}::bigint[])
  `.execute(query);
  const durations = rows
    .filter((row) => row.id === null)
    .map(({ templateId, days }) => [templateId, days] as const);
  return { tasks: rows.filter((row) => row.id !== null), durations: new Map(durations) };
}

/**
 * The active days since an instant, which was on the user's day `first`. The cost depends on the number of days, not
 * of completions: one index lookup per task and day.
 */
export async function doneDays(
  query: Kysely<CompletionTables>,
  userId: string,
  { tasks, since, first, today }: { tasks: Linked[]; since: Date; first: Day; today: Day },
  /** Called after each statement with the number of bytes that it read. */
  countRead: (bytes: number) => void,
): Promise<DoneDay[]> {
  const days = new Map<string, DoneDay>();
  const active = tasks.filter(({ lastCompletedAt }) => lastCompletedAt && lastCompletedAt >= since);
  const earliest = daysAfter(first, -DAYS_TWICE);
  const daysAtMost = Math.max(daysBetween(earliest, today) + 1, 1);
  const chunk = Math.max(Math.floor(CHUNK / daysAtMost), 1);
  for (let begin = 0; begin < active.length; begin += chunk) {
    const found = await followDays(query, userId, active.slice(begin, begin + chunk), earliest);
    countRead(found.reduce((sum, { steps }) => sum + steps, 0) * STEP);
    for (const { templateId, day, lastAt } of found) {
      const key = `${templateId} ${day}`;
      const known = days.get(key);
      if (lastAt >= since && (!known || known.lastAt < lastAt)) days.set(key, { templateId, day, lastAt });
    }
  }
  return [...days.values()];
}

/** From each task's last active day back to `earliest`. For the row comparison see `lastCompletionOf`. */
async function followDays(query: Kysely<CompletionTables>, userId: string, tasks: Linked[], earliest: Day) {
  const lastDayOf = (task: RawBuilder<unknown>, before: RawBuilder<unknown>) => sql`
    select ${completionDay} as day, completed_at from task_completions
    where user_id = ${userId} and (${completionTask}, ${completionDay}) < (${task}, ${before}) and ${completionTask} >= ${task}
    order by ${completionTask} desc, ${completionDay} desc, completed_at desc limit 1`;
  const { rows } = await sql<DoneDay & { steps: number }>`
    with recursive done (task_id, template_id, day, last_at) as (
      select task.id, task.template_id, last.day, last.completed_at
      from unnest(
        ${tasks.map(({ id }) => id)}::bigint[], ${tasks.map(({ templateId }) => templateId)}::bigint[]
      ) as task (id, template_id)
      cross join lateral (${lastDayOf(sql`task.id`, sql`'infinity'::date`)}) last
      union all
      select task_id, template_id, last.day, last.completed_at
      from done cross join lateral (${lastDayOf(sql`done.task_id`, sql`done.day`)}) last
      where done.day >= ${earliest}::date
    )
    select template_id as "templateId", day, max(last_at) as "lastAt", count(*)::int as steps
    from done group by template_id, day
  `.execute(query);
  return rows;
}
