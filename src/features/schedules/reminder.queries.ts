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

/** Rows, or different times, of one statement: a file has thousands. */
const TOGETHER = 1_000;

function* inPieces<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < items.length; from += TOGETHER) yield items.slice(from, from + TOGETHER);
}

/** The next instant of each different time of a user, where `alike` has the times. */
const nextOfAlike = (now: Date) =>
  nextRingOf({ minute: sql`alike.minute`, weekdays: sql`alike.weekdays`, after: sql`${now}::timestamptz` });

/** They ring from the next time on, which is computed once for all of the same time. */
export async function insertReminders(
  query: QueryExecutorProvider,
  userId: string,
  reminders: readonly ReminderRow[],
  now: Date,
): Promise<void> {
  const sorted = reminders.toSorted((a, b) => a.minute - b.minute || a.weekdays - b.weekdays);
  for (const piece of inPieces(sorted)) {
    await sql`
      with given as materialized (
        select * from unnest(
          ${piece.map(({ taskId }) => taskId)}::bigint[], ${piece.map(({ minute }) => minute)}::int[],
          ${piece.map(({ weekdays }) => weekdays)}::int[]
        ) as given (task_id, minute, weekdays)
      ), planned as materialized (
        select alike.*, ${nextOfAlike(now)} as next_at
        from user_progress cross join (select distinct minute, weekdays from given) alike
        where user_id = ${userId}
      )
      insert into reminders (id, user_id, task_id, minute, weekdays, next_at)
      select gen_random_uuid(), ${userId}::uuid, task_id, minute, weekdays, next_at
      from given join planned using (minute, weekdays)`.execute(query);
  }
}

/**
 * After a change of the zone, or of the hour at which days begin: nothing rings that lay before it. The next
 * instant is computed once for all reminders of the same time. It is read first, because Citus cannot change a table
 * that every node has by one that is spread over them.
 */
export async function rescheduleReminders(
  query: QueryExecutorProvider,
  userId: string,
  now: Date,
): Promise<void> {
  const times = await sql<StoredReminder>`
    select distinct minute, weekdays from reminders where user_id = ${userId}`.execute(query);
  for (const piece of inPieces(times.rows)) {
    const { rows } = await sql<StoredReminder & { nextAt: Date }>`
      select alike.minute, alike.weekdays, ${nextOfAlike(now)} as "nextAt"
      from user_progress cross join unnest(
        ${piece.map(({ minute }) => minute)}::int[], ${piece.map(({ weekdays }) => weekdays)}::int[]
      ) as alike (minute, weekdays)
      where user_progress.user_id = ${userId}`.execute(query);
    const each = (value: (row: (typeof rows)[number]) => number | Date) => rows.map(value);
    await sql`
      update reminders set next_at = planned.next_at
      from unnest(${each(({ minute }) => minute)}::int[], ${each(({ weekdays }) => weekdays)}::int[],
        ${each(({ nextAt }) => nextAt)}::timestamptz[]) as planned (minute, weekdays, next_at)
      where reminders.user_id = ${userId} and reminders.minute = planned.minute
        and reminders.weekdays = planned.weekdays`.execute(query);
  }
}
