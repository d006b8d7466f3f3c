import { type Kysely, sql } from 'kysely';
import { type Day, dayOf, daysBetween } from '../streaks/day.js';
import { lastCompletionOf } from './completion.queries.js';
import type { TaskTables } from './task.queries.js';

/** A task that is linked to a template. */
export interface Linked {
  id: number;
  templateId: number;
  lastCompletedAt: Date | null;
}

/** A day with a completion of a linked task, and the time of the last one. */
export interface DoneDay {
  templateId: number;
  lastAt: Date;
}

/**
 * Index lookups per statement; each finds the previous active day of a task. The embedded database serves no one else
 * meanwhile.
 */
const CHUNK = 5_000;

/** In bytes: the weight of a lookup. It sends nothing, but it takes time all the same. */
const STEP = 160;

export async function selectLinked(
  query: Kysely<TaskTables>,
  userId: string,
  templateIds: number[],
): Promise<Linked[]> {
  const { rows } = await sql<Linked>`
    select id, challenge_template_id as "templateId", last_completed_at as "lastCompletedAt" from tasks
    where user_id = ${userId} and challenge_template_id = any(${templateIds}::bigint[])
  `.execute(query);
  return rows;
}

/**
 * The active days from `since` to `today`. The cost depends on the number of days, not of completions: one index
 * lookup per task and day.
 */
export async function doneDays(
  query: Kysely<TaskTables>,
  userId: string,
  { tasks, since, today }: { tasks: Linked[]; since: Date; today: Day },
  /** Called after each statement with the number of bytes that it read. */
  countRead: (bytes: number) => void,
): Promise<DoneDay[]> {
  const days = new Map<string, DoneDay>();
  const active = tasks.filter(({ lastCompletedAt }) => lastCompletedAt && lastCompletedAt >= since);
  const daysAtMost = Math.max(daysBetween(dayOf(since), today) + 1, 1);
  const chunk = Math.max(Math.floor(CHUNK / daysAtMost), 1);
  for (let begin = 0; begin < active.length; begin += chunk) {
    const found = await followDays(query, userId, active.slice(begin, begin + chunk), since);
    countRead(found.reduce((sum, { steps }) => sum + steps, 0) * STEP);
    for (const { templateId, lastAt } of found) {
      const key = `${templateId} ${dayOf(lastAt)}`;
      const known = days.get(key);
      if (!known || known.lastAt < lastAt) days.set(key, { templateId, lastAt });
    }
  }
  return [...days.values()];
}

async function followDays(query: Kysely<TaskTables>, userId: string, tasks: Linked[], since: Date) {
  const { rows } = await sql<DoneDay & { steps: number }>`
    with recursive done (task_id, template_id, last_at) as (
      select *, (${lastCompletionOf(userId, sql`task.id`)})
      from unnest(
        ${tasks.map(({ id }) => id)}::bigint[], ${tasks.map(({ templateId }) => templateId)}::bigint[]
      ) as task (id, template_id)
      union all
      select task_id, template_id,
        (${lastCompletionOf(userId, sql`done.task_id`, sql`date_trunc('day', last_at, 'UTC')`)})
      from done where last_at >= ${since}
    )
    select template_id as "templateId", max(last_at) as "lastAt", count(*)::int as steps
    from done where last_at >= ${since}
    group by template_id, date_trunc('day', last_at, 'UTC')
  `.execute(query);
  return rows;
}
