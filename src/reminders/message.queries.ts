import { type Kysely, sql } from 'kysely';
import type { ChannelKind } from '../channels/channel.entity.js';
import type { ChannelTables } from '../channels/channel.queries.js';
import { HOLD } from '../channels/kept-values.js';
import type { Receiver } from '../channels/message.js';
import type { Message } from './message.entity.js';
import { type ReminderTables, STILL_RINGS_MS } from './reminder.queries.js';

export type MessageTables = ReminderTables & ChannelTables;

type Query = Kysely<MessageTables>;

export interface Claimed
  extends Receiver,
    Pick<Message, 'id' | 'userId' | 'channelId' | 'ringsAt' | 'isOfDay' | 'tries' | 'state'> {
  kind: ChannelKind;
  host: string;
  taskIds: string[];
}

const claimedColumns = sql`
  messages.id, messages.user_id as "userId", messages.channel_id as "channelId", messages.rings_at as "ringsAt",
  messages.task_ids::text[] as "taskIds", messages.is_of_day as "isOfDay", messages.tries, messages.state,
  channels.kind, messages.host, channels.address, channels.p256dh, channels.auth, channels.token`;

interface Asked {
  now: Date;
  /** Another process may take what is not done by then. */
  leaseUntil: Date;
  /** What rang earlier is not sent any more. */
  since: Date;
  /** Hosts with so much under way that theirs wait. */
  busy: readonly string[];
  most: number;
}

/** Hosts to which something is to be sent, each found by one step in the index however much waits for one of them. */
const hostsAwaited = sql`
  (select host from messages where try_at is not null order by host limit 1)
  union all
  select (
    select messages.host from messages where try_at is not null and messages.host > hosts.host
    order by messages.host limit 1
  ) from hosts where hosts.host is not null`;

/**
 * Takes messages, the oldest of each host first. One waits until all that rings in its minute for its user has been
 * moved on: so it is whole, whichever processes move it. While reminders are held back, nothing is taken. The conditions
 * are one expression, of which the planner expects that half fulfil it: so it walks each host's queue by the index, and
 * only until there is enough.
 */
export const claimMessages = (query: Query, { now, leaseUntil, since, busy, most }: Asked) =>
  sql<Claimed>`
    with recursive hosts as (${hostsAwaited}), next as (
      select found.id, found.user_id from hosts cross join lateral (
        select messages.id, messages.user_id, try_at from messages
        where messages.host = hosts.host and try_at <= ${now}::timestamptz
          and coalesce(
            (
              select false from reminders
              where reminders.user_id = messages.user_id and next_at <= messages.rings_at limit 1
            ),
            rings_at >= ${since}::timestamptz and (
              select state from channels
              where channels.user_id = messages.user_id and channels.id = messages.channel_id
            ) <> 'ENDED'
          )
        order by try_at limit ${most} for update skip locked
      ) found
      where hosts.host <> all(${busy}::text[]) and not exists (select from kept_values where name = ${HOLD})
      order by found.try_at limit ${most}
    )
    update messages set tries = tries + 1, state = 'SENDING',
      try_at = ${leaseUntil}::timestamptz
    from next, channels
    where messages.id = next.id and messages.user_id = next.user_id
      and channels.user_id = messages.user_id and channels.id = messages.channel_id
    returning ${claimedColumns}`.execute(query);

type OfMessage = Pick<Message, 'id' | 'userId'>;

/**
 * To be called before what may be sent once only is sent: from then on no process takes it any more. Returns no row if
 * another one has taken it meanwhile.
 */
export const giveUpOthers = (query: Query, { id, userId, tries }: OfMessage & Pick<Message, 'tries'>) =>
  sql<{ id: string }>`
    update messages set try_at = null
    where user_id = ${userId} and id = ${id} and tries = ${tries} and state = 'SENDING' returning id`.execute(
    query,
  );

/** A message to ntfy stays, so that it can be taken back. */
export const keepSent = (query: Query, { id, userId }: OfMessage, named: readonly number[]) =>
  sql`
    update messages set state = 'SENT', try_at = null, task_ids = ${named}::bigint[]
    where user_id = ${userId} and id = ${id}`.execute(query);

export const deleteMessage = (query: Query, { id, userId }: OfMessage) =>
  sql`delete from messages where user_id = ${userId} and id = ${id}`.execute(query);

export const tryAgain = (query: Query, { id, userId }: OfMessage, at: Date) =>
  sql`
    update messages set state = 'WAITING', try_at = ${at}::timestamptz
    where user_id = ${userId} and id = ${id}`.execute(query);

/** Messages of these users that are shown now, or will be in a moment. */
export const shownMessages = (query: Query, userIds: readonly string[], now: Date) =>
  sql<Claimed>`
    select ${claimedColumns} from messages
      join channels on channels.user_id = messages.user_id and channels.id = messages.channel_id
    where messages.user_id = any(${userIds}::uuid[])
        and (messages.state = 'SENT' or (messages.state = 'SENDING' and messages.try_at > ${now}::timestamptz))`.execute(
    query,
  );

export interface Waiting {
  waiting: number;
  /** In seconds: how long the oldest has been due. */
  oldest: number;
}

/** Counted up to a bound: nobody needs to know how many hundred thousands there are. */
export async function countWaiting(query: Query, now: Date): Promise<Waiting> {
  const since = new Date(now.getTime() - STILL_RINGS_MS);
  const { rows } = await sql<Waiting>`
    select count(*)::int as waiting,
      coalesce(greatest(extract(epoch from ${now}::timestamptz - min(try_at)), 0), 0)::float8 as oldest
    from (
      select try_at from messages where try_at is not null and rings_at >= ${since}::timestamptz
      order by try_at limit 100000
    ) as next`.execute(query);
  return rows[0] ?? { waiting: 0, oldest: 0 };
}
