import { type QueryExecutorProvider, sql } from 'kysely';
import { nextRingOf } from './ring.queries.js';
import { bitsOf, WEEKDAYS } from './schedule.js';

/** A time at which a task rings, or the day. */
export interface StoredReminder {
  /** Since midnight. */
  minute: number;
  /** As `bitsOf`. */
  weekdays: number;
}

export interface ReminderRow extends StoredReminder {
  /** Null for the day's reminder. */
  taskId: number | null;
}

export const EVERY_WEEKDAY = bitsOf(WEEKDAYS);

export const minuteOf = (at: string): number => Number(at.slice(0, 2)) * 60 + Number(at.slice(3));

export const dayReminderAt = (at: string): StoredReminder => ({
  minute: minuteOf(at),
  weekdays: EVERY_WEEKDAY,
});

interface OfTask {
  userId: string;
  /** Null for the day's reminder. */
  taskId: number | null;
}

/** In place of those that there are. They ring from the next time on. */
export async function replaceReminders(
  query: QueryExecutorProvider,
  { userId, taskId }: OfTask,
  reminders: readonly StoredReminder[],
  now: Date,
): Promise<void> {
  await sql`
    delete from reminders where user_id = ${userId} and task_id is not distinct from ${taskId}::bigint`.execute(
    query,
  );
  await insertReminders(
    query,
    userId,
    reminders.map((reminder) => ({ ...reminder, taskId })),
    now,
  );
}

/** They ring from the next time on. */
export async function insertReminders(
  query: QueryExecutorProvider,
  userId: string,
  reminders: readonly ReminderRow[],
  now: Date,
): Promise<void> {
  if (reminders.length === 0) return;
  const next = nextRingOf({
    minute: sql`given.minute`,
    weekdays: sql`given.weekdays`,
    after: sql`${now}::timestamptz`,
  });
  await sql`
    insert into reminders (id, user_id, task_id, minute, weekdays, next_at)
    select gen_random_uuid(), ${userId}::uuid, given.task_id, given.minute, given.weekdays, ${next}
    from user_progress, unnest(
      ${reminders.map(({ taskId }) => taskId)}::bigint[], ${reminders.map(({ minute }) => minute)}::int[],
      ${reminders.map(({ weekdays }) => weekdays)}::int[]
    ) as given (task_id, minute, weekdays)
    where user_id = ${userId}`.execute(query);
}

/**
 * After a change of the zone, or of the hour at which days begin: nothing rings that lay before it. The next
 * instant is computed once for all reminders of the same time, since an account may have thousands. It is read first,
 * because Citus cannot change a table that every node has by one that is spread over them.
 */
export async function replanReminders(
  query: QueryExecutorProvider,
  userId: string,
  now: Date,
): Promise<void> {
  const next = nextRingOf({
    minute: sql`alike.minute`,
    weekdays: sql`alike.weekdays`,
    after: sql`${now}::timestamptz`,
  });
  const { rows } = await sql<{ minute: number; weekdays: number; nextAt: Date }>`
    select alike.minute, alike.weekdays, ${next} as "nextAt"
    from user_progress
      cross join (select distinct minute, weekdays from reminders where user_id = ${userId}) alike
    where user_progress.user_id = ${userId}`.execute(query);
  if (rows.length === 0) return;
  const each = (value: (row: (typeof rows)[number]) => number | Date) => rows.map(value);
  await sql`
    update reminders set next_at = planned.next_at
    from unnest(${each(({ minute }) => minute)}::int[], ${each(({ weekdays }) => weekdays)}::int[],
      ${each(({ nextAt }) => nextAt)}::timestamptz[]) as planned (minute, weekdays, next_at)
    where reminders.user_id = ${userId} and reminders.minute = planned.minute
      and reminders.weekdays = planned.weekdays`.execute(query);
}
