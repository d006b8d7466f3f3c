import { type Kysely, type RawBuilder, sql } from 'kysely';
import { completionDay, completionTask } from '../../completions/completion-day.js';
import type { CompletionTables } from '../../completions/completion-list.queries.js';
import { type Day, dayOf } from '../../streaks/day.js';
import { userDayAt, zoneOf } from '../../streaks/streak.js';

type Query = Kysely<CompletionTables>;

/** Days that one statement looks up, or records. */
const CHUNK = 5_000;

/** A day on which a habit was done. The key names both in every export, and so its completion. */
export interface DoneDay {
  habit: string;
  day: Day;
  key: string;
}

function* chunksOf<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let begin = 0; begin < items.length; begin += CHUNK) yield items.slice(begin, begin + CHUNK);
}

/** The time zone of a user, and the user's day at an instant. */
export async function daysOf(query: Query, userId: string, now: Date): Promise<{ zone: string; today: Day }> {
  const { rows } = await sql<{ timeZone: string | null; today: Day }>`
    select time_zone as "timeZone",
      to_char(${userDayAt(sql`${now}::timestamptz`, sql`${dayOf(now)}::date`)}, 'YYYY-MM-DD') as today
    from user_progress where user_id = ${userId}`.execute(query);
  const [{ timeZone = null, today = dayOf(now) } = {}] = rows;
  return { zone: zoneOf({ timeZone }), today };
}

/** The tasks that habits became when they were imported before, whatever they are called now. */
export async function tasksByKey(
  query: Query,
  userId: string,
  days: readonly DoneDay[],
): Promise<Map<string, number>> {
  const tasks = new Map<string, number>();
  for (const chunk of chunksOf(days)) {
    const unknown = chunk.filter(({ habit }) => !tasks.has(habit));
    if (unknown.length === 0) continue;
    const { rows } = await sql<{ habit: string; task: number }>`
      select habit, min(task_id) as task
      from json_to_recordset(${JSON.stringify(unknown)}::json) as given (habit text, key text)
        join task_completions on user_id = ${userId} and idempotency_key = key
      group by habit`.execute(query);
    for (const { habit, task } of rows) tasks.set(habit, Number(task));
  }
  return tasks;
}

/** Oldest first. */
export async function titlesOf(query: Query, userId: string): Promise<{ id: number; title: string }[]> {
  const { rows } = await sql<{ id: string; title: string }>`
    select id, title from tasks where user_id = ${userId} order by created_at, id`.execute(query);
  return rows.map(({ id, title }) => ({ id: Number(id), title }));
}

/**
 * Noon of the day where the user lives, or as near to it as the UTC day of that date allows, so that both kinds of days
 * agree; not in the future.
 */
const doneAt = (zone: string, now: Date): RawBuilder<Date> => sql`
  least(
    greatest((day + time '12:00') at time zone ${zone}::text, day::timestamp at time zone 'UTC'),
    (day + 1)::timestamp at time zone 'UTC' - interval '1 millisecond',
    ${now}::timestamptz
  )`;

/**
 * Records days as completions of tasks, at the points of these, where nothing was recorded before: neither under the
 * same key, nor of the same task and day by hand. Returns how many. Lock the account first.
 */
export async function recordDays(
  query: Query,
  userId: string,
  days: readonly { task: number; day: Day; key: string }[],
  { zone, now }: { zone: string; now: Date },
): Promise<number> {
  let recorded = 0;
  for (const chunk of chunksOf(days)) {
    const { rows } = await sql<{ count: number }>`
      with recorded as (
        insert into task_completions (user_id, task_id, points, completed_at, idempotency_key, day, recorded_at)
        select ${userId}::uuid, task, points, ${doneAt(zone, now)}, key, day, ${now}::timestamptz
        from json_to_recordset(${JSON.stringify(chunk)}::json) as given (task bigint, day date, key text)
          join tasks on tasks.id = task and tasks.user_id = ${userId}
        where not exists (
          select from task_completions where user_id = ${userId} and idempotency_key = given.key
        ) and not exists (
          select from task_completions
          where user_id = ${userId} and ${completionTask} = given.task and ${completionDay} = given.day
        )
        returning 1
      )
      select count(*)::int as count from recorded`.execute(query);
    recorded += rows[0]?.count ?? 0;
  }
  return recorded;
}
