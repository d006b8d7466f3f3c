import { type Kysely, sql } from 'kysely';
import type { Taken } from '../../jobs/jobs.queries.js';
import { isLetIn } from '../account/account.queries.js';
import { userDayAt } from '../schedules/days.queries.js';
import type { ChannelKind } from './channels/channel.entity.js';
import type { ChannelTables } from './channels/channel.queries.js';
import type { Receiver } from './channels/message.js';
import { HOLD } from './channels/stored-values.js';
import type { ReminderTables } from './reminder.queries.js';

export type MessageTables = ReminderTables & ChannelTables;

type Query = Kysely<MessageTables>;

/** What rings for one user in one minute, on one channel. It is a job in the lane of the channel's host. */
export interface Message {
  channelId: string;
  taskIds: number[];
  isOfDay: boolean;
}

/** A message that this process sends. What it is of rang when the job was made. */
export interface TakenMessage extends Message {
  id: string;
  userId: string;
  ringsAt: Date;
  /** How often it was tried, with this time. */
  attempts: number;
}

export const messageOf = ({ id, userId, createdAt, attempts, payload }: Taken<Message>): TakenMessage => ({
  ...{ id, userId: userId ?? '', ringsAt: createdAt, attempts },
  ...payload,
});

/** While reminders are held back, nothing is sent. */
export const ringsAtAll = sql<boolean>`not exists (select from kept_values where name = ${HOLD})`;

/**
 * A message waits until all that rings in its minute for its user has been moved on: so it is whole, whichever
 * processes move it. `resting` are channels, and users in a lane, that wait.
 */
export const isWhole = (resting: readonly string[]) => sql<boolean>`
  coalesce(
    case when jobs.lane || ' ' || jobs.user_id = any(${resting}::text[])
      or jobs.payload ->> 'channelId' = any(${resting}::text[]) then false end,
    (
      select false from reminders
      where reminders.user_id = jobs.user_id and next_at <= jobs.created_at limit 1
    ),
    (
      select state from channels
      where channels.user_id = jobs.user_id and channels.id = (jobs.payload ->> 'channelId')::uuid
    ) <> 'ENDED'
  )`;

interface OfChannel {
  userId: string;
  channelId: string;
}

/** Undefined if the channel is gone, or its user suspended. */
export async function receiverOf(
  query: Query,
  { userId, channelId }: OfChannel,
): Promise<(Receiver & { kind: ChannelKind }) | undefined> {
  const { rows } = await sql<Receiver & { kind: ChannelKind }>`
    select kind, address, p256dh, auth, token from channels
    where user_id = ${userId} and id = ${channelId} and ${isLetIn(sql`${userId}`)}`.execute(query);
  return rows[0];
}

/** So many messages of a user can be dismissed: of more than a screen shows, the oldest stay. */
const MOST_SHOWN = 100;

export const keepShown = (
  query: Query,
  { id, userId, channelId, ringsAt }: TakenMessage,
  named: readonly number[],
) =>
  sql`
    with surplus as (
      delete from shown_messages where user_id = ${userId} and id in (
        select id from shown_messages where user_id = ${userId} and id <> ${id}
        order by rings_at desc, id offset ${sql.lit(MOST_SHOWN - 1)}
      )
    )
    insert into shown_messages (id, user_id, channel_id, rings_at, task_ids)
    select ${id}::uuid, user_id, ${channelId}::uuid, ${ringsAt}::timestamptz, ${named}::bigint[]
    from user_progress where user_id = ${userId}
    on conflict (id, user_id) do update set task_ids = excluded.task_ids`.execute(query);

export const forgetShown = (query: Query, { id, userId }: Pick<Shown, 'id' | 'userId'>) =>
  sql`delete from shown_messages where user_id = ${userId} and id = ${id}`.execute(query);

/** Some of what nobody dismisses any more. Returns whether there may be more. */
export async function forgetOld(query: Query, before: Date): Promise<boolean> {
  const { rows } = await sql`
    delete from shown_messages using (
      select id, user_id from shown_messages where rings_at < ${before}::timestamptz
      limit 5000 for update skip locked
    ) old where shown_messages.id = old.id and shown_messages.user_id = old.user_id returning 1`.execute(
    query,
  );
  return rows.length > 0;
}

const sending = sql`kind = ${sql.lit('reminder')} and is_held`;

/** Those of these users to whom something is shown, or will be in a moment; nobody while reminders are held back. */
export async function usersWithMessages(query: Query, userIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ userId: string }>`
    select user_id as "userId" from (
      select user_id from shown_messages where user_id = any(${userIds}::uuid[])
      union select user_id from jobs where user_id = any(${userIds}::uuid[]) and ${sending}
    ) found where ${ringsAtAll}`.execute(query);
  return rows.map(({ userId }) => userId);
}

/** A message that can be dismissed, and the user's day that it is of. */
export interface Shown extends Receiver {
  id: string;
  userId: string;
  kind: ChannelKind;
  ringsAt: Date;
  taskIds: number[];
  day: string;
}

/** What is shown to the user, the newest, and whether more will be in a moment. */
export async function shownTo(
  query: Query,
  userId: string,
  now: Date,
): Promise<{ shown: Shown[]; isSending: boolean }> {
  const { rows } = await sql<{ isSending: boolean }>`
    select exists (
      select from jobs where user_id = ${userId} and run_at > ${now}::timestamptz and ${sending}
    ) as "isSending"`.execute(query); // first: what is sent by then is found by the second statement
  const found = await sql<Shown & { taskIds: string[] }>`
    select shown.id, shown.user_id as "userId", shown.rings_at as "ringsAt", shown.task_ids::text[] as "taskIds",
      kind, address, p256dh, auth, token, ${userDayAt(sql`shown.rings_at`)}::text as day
    from shown_messages shown
      join channels on channels.user_id = shown.user_id and channels.id = shown.channel_id
      join user_progress on user_progress.user_id = shown.user_id
    where shown.user_id = ${userId}
    order by shown.rings_at desc, shown.id limit ${sql.lit(2 * MOST_SHOWN)}`.execute(query);
  const shown = found.rows.map((row) => ({ ...row, taskIds: row.taskIds.map(Number) }));
  return { shown, isSending: rows[0]?.isSending ?? false };
}
