import { type Kysely, sql } from 'kysely';
import type { Columns } from '../../database/columns.js';
import { statement } from '../../database/statement.js';
import { isLetIn } from '../account/account.queries.js';
import type { TaskTables } from '../habits/task.queries.js';
import type { ReminderRow } from '../schedules/reminder.queries.js';
import { nextRing } from '../schedules/ring.queries.js';
import type { Reminder } from './reminder.entity.js';
import type { ShownMessage } from './shown-message.entity.js';

export type ReminderTables = TaskTables & {
  reminders: Columns<Omit<Reminder, 'task'>>;
  shown_messages: Columns<ShownMessage>;
};

type Query = Kysely<ReminderTables>;

/** Sorts them by their time, those of every day first. */
export const remindersOfTasks = statement(
  (_query: Query, { userId, ids }: { userId: string; ids: number[] }) => sql<ReminderRow>`
    select task_id as "taskId", minute, weekdays from reminders
    where user_id = ${userId} and task_id = any(${ids}::bigint[])
    order by task_id, minute, weekdays desc`,
);

export const reminderOfDay = statement(
  (_query: Query, { userId }: { userId: string }) => sql<ReminderRow>`
    select task_id as "taskId", minute, weekdays from reminders where user_id = ${userId} and task_id is null`,
);

/** The kind of the jobs that send what rings. */
export const MESSAGE = 'reminder';

/** After an outage, what is older does not ring. */
export const STILL_RINGS_MS = 30 * 60_000;

/** Whether anything is due, by both indexes at once: all that a minute costs in which nothing is. */
export async function whatIsDue(query: Query, now: Date): Promise<{ rings: boolean; messages: boolean }> {
  const { rows } = await sql<{ rings: boolean; messages: boolean }>`
    select exists (select from reminders where next_at <= ${now}::timestamptz) as rings,
      exists (
        select from jobs where kind = ${MESSAGE} and run_at <= ${now}::timestamptz
      ) as messages`.execute(query);
  return rows[0] ?? { rings: false, messages: false };
}

export interface Due {
  now: Date;
  /** What was due before only moves on. */
  since: Date;
  kinds: readonly string[];
  /** Those alone, if there are any; else all but `except`. */
  only?: readonly string[];
  except: readonly string[];
}

const asked = ({ now, only, except }: Due) => sql`
  next_at <= ${now}::timestamptz
    and ${only ? sql`id = any(${only}::uuid[])` : sql`id <> all(${except}::uuid[])`}`;

/** The reminders that `ringDue` moves next. */
export async function nextDue(query: Query, due: Due): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from reminders where ${asked(due)} order by next_at limit ${BATCH}`.execute(query);
  return rows.map(({ id }) => id);
}

interface Late {
  zones?: readonly string[];
  ids?: readonly string[];
}

/** To the same time of another day: those of users in these zones, or with these ids. Returns how many. */
export async function putOff(query: Query, { zones = [], ids = [] }: Late, now: Date): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with late as materialized (
      select reminders.id, reminders.user_id, next_at
      from reminders join user_progress on user_progress.user_id = reminders.user_id
      where next_at <= ${now}::timestamptz
        and (time_zone = any(${zones}::text[]) or reminders.id = any(${ids}::uuid[]))
    ), off as (
      update reminders set next_at = (late.next_at at time zone 'UTC' + interval '1 day'
        * (1 + floor(extract(epoch from ${now}::timestamptz - late.next_at) / 86400))) at time zone 'UTC'
      from late where late.id = reminders.id and late.user_id = reminders.user_id
      returning 1
    )
    select count(*)::int as count from off`.execute(query);
  return rows[0]?.count ?? 0;
}

/** Reminders that one statement moves on. */
const BATCH = 250;

/**
 * Moves reminders that are due to their next ring, and leaves a message for each channel of their users, one for what
 * rings in the same minute. What has not rung for too long only moves on, and may be due again. The next
 * instant is computed once for all who chose the same time. Returns how many were moved.
 */
export async function ringDue(query: Query, due: Due): Promise<number> {
  const { since, kinds } = due;
  const next = nextRing({
    minute: sql`alike.minute`,
    weekdays: sql`alike.weekdays`,
    zone: sql`alike.zone`,
    dayStartsAt: sql`alike.day_starts_at`,
    after: sql`greatest(alike.next_at, ${since}::timestamptz - interval '1 millisecond')`,
  });
  const { rows } = await sql<{ moved: number }>`
    with due as (
      select id, user_id, task_id, minute, weekdays, next_at from reminders
      where ${asked(due)} order by next_at limit ${BATCH} for update skip locked
    ), clocks as materialized (
      select due.*, coalesce(time_zone, 'UTC') as zone, day_starts_at
      from due join user_progress on user_progress.user_id = due.user_id
    ), planned as materialized (
      select alike.*, ${next} as then_at
      from (select distinct minute, weekdays, next_at, zone, day_starts_at from clocks) alike
    ), moved as (
      update reminders set next_at = planned.then_at
      from clocks join planned using (minute, weekdays, next_at, zone, day_starts_at)
      where reminders.id = clocks.id and reminders.user_id = clocks.user_id
    ), published as (
      insert into jobs (id, kind, key, user_id, lane, payload, created_at, run_at)
      select gen_random_uuid(), ${MESSAGE}, channels.id || ' ' || extract(epoch from due.next_at)::bigint,
        due.user_id, channels.host, jsonb_build_object('channelId', channels.id,
          'taskIds', coalesce(jsonb_agg(due.task_id) filter (where due.task_id is not null), '[]'),
          'isOfDay', bool_or(due.task_id is null)), due.next_at, due.next_at
      from due join channels on channels.user_id = due.user_id
        and channels.state <> 'ENDED' and channels.kind = any(${kinds}::text[])
      where due.next_at >= ${since}::timestamptz and ${isLetIn(sql.ref('due.user_id'))}
      group by due.user_id, channels.id, channels.host, due.next_at
      on conflict (kind, key) do update set payload = jobs.payload || jsonb_build_object(
        'taskIds', (jobs.payload -> 'taskIds') || (excluded.payload -> 'taskIds'),
        'isOfDay', (jobs.payload -> 'isOfDay')::boolean or (excluded.payload -> 'isOfDay')::boolean)
    )
    select count(*)::int as moved from due`.execute(query);
  return rows[0]?.moved ?? 0;
}

/** Nothing rings that far ahead, unless it was planned while the clock was wrong. */
const FARTHEST = sql`interval '20 days'`;

/** Lets the next run plan anew what was planned by a clock that was ahead. Returns whether there may be more of it. */
export async function bringBack(query: Query, now: Date): Promise<boolean> {
  const { rows } = await sql`
    update reminders set next_at = ${new Date(now.getTime() - 2 * STILL_RINGS_MS)}::timestamptz
    from (
      select id, user_id from reminders where next_at > ${now}::timestamptz + ${FARTHEST}
      limit 5000 for update skip locked
    ) far where reminders.id = far.id and reminders.user_id = far.user_id returning 1`.execute(query);
  return rows.length > 0;
}
