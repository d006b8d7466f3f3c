import { type Kysely, sql } from 'kysely';
import { type Columns, columnsOf, countUpTo, insertOf, type RowOf } from '../../../database/columns.js';
import { statement } from '../../../database/statement.js';
import type { AccountTables } from '../../account/account.queries.js';
import { Channel } from './channel.entity.js';
import type { Receiver } from './message.js';

export type ChannelTables = AccountTables & { channels: Columns<Channel> };

type Query = Kysely<ChannelTables>;

/** Without what lets one send: that is shown nowhere. */
const channelColumns = columnsOf(Channel, 'host', 'address', 'p256dh', 'auth', 'token', 'failingSince');

export type ChannelRow = RowOf<typeof channelColumns>;

/** Oldest first. */
export const channelsOf = statement((query: Query, { userId }: { userId: string }) =>
  query
    .selectFrom('channels')
    .where('user_id', '=', userId)
    .select(channelColumns.of('channels'))
    .orderBy('created_at')
    .orderBy('id'),
);

export type NewChannel = Pick<
  Channel,
  'id' | 'userId' | 'kind' | 'name' | 'host' | 'address' | 'p256dh' | 'auth' | 'token' | 'state' | 'createdAt'
>;

/** A browser that subscribes again: the same channel, with the keys that it has now. */
export const renewPush = (query: Query, { userId, address, p256dh, auth, name }: NewChannel) =>
  sql<ChannelRow>`
    update channels set p256dh = ${p256dh}, auth = ${auth}, name = ${name}, state = 'WORKING', last_error = null,
      failing_since = null
    where user_id = ${userId} and kind = 'PUSH' and address = ${address}
    returning ${channelColumns.textOf('channels')}`.execute(query);

/** Under the lock of the account. Returns no row if the user has as many already. */
export const insertChannel = (query: Query, channel: NewChannel, most: number) => {
  const { userId } = channel;
  return sql<ChannelRow>`
    ${insertOf(Channel, { into: 'channels', as: 'made', userId, rows: [channel] })}, ${countUpTo('channels', userId, most)}
    where counted.rows < ${most}
    returning ${channelColumns.textOf('made')}`.execute(query);
};

interface OfChannel {
  userId: string;
  id: string;
}

const unsentOf = (userId: string, id: string) => sql`
  delete from jobs where user_id = ${userId} and payload ->> 'channelId' = ${id}`;

/** With what was to be sent to it. */
export const deleteChannel = (query: Query, { userId, id }: OfChannel) =>
  sql<{ id: string }>`
    with unsent as (${unsentOf(userId, id)}),
      shown as (delete from shown_messages where user_id = ${userId} and channel_id = ${id})
    delete from channels where user_id = ${userId} and id = ${id} returning id`.execute(query);

/** The channel, with the address and keys that are needed to send to it. */
export const channelToTry = (query: Query, { userId, id }: OfChannel) =>
  sql<Receiver & ChannelRow>`
    select address, p256dh, auth, token, ${channelColumns.textOf('channels')} from channels
    where user_id = ${userId} and id = ${id}`.execute(query);

export const noteTaken = (query: Query, { userId, id }: OfChannel, now: Date) =>
  sql<ChannelRow>`
    update channels set state = 'WORKING', last_sent_at = ${now}::timestamptz, last_error = null, failing_since = null
    where user_id = ${userId} and id = ${id} returning ${channelColumns.textOf('channels')}`.execute(query);

/** After three days of failures, or at once where the receiver says so, the channel has ended. */
const ENDS_AFTER_MS = 3 * 86_400_000;

export async function noteFailure(
  query: Query,
  { userId, id }: OfChannel,
  { now, error, ended = false }: { now: Date; error: string; ended?: boolean | undefined },
): Promise<ChannelRow | undefined> {
  const longSince = new Date(now.getTime() - ENDS_AFTER_MS);
  const { rows } = await sql<ChannelRow>`
    update channels set last_error = ${error}, failing_since = coalesce(failing_since, ${now}::timestamptz),
      state = case when ${ended} or failing_since <= ${longSince}::timestamptz then 'ENDED' else 'FAILING' end
    where user_id = ${userId} and id = ${id} returning ${channelColumns.textOf('channels')}`.execute(query);
  if (rows[0]?.state === 'ENDED') await deleteUnsent(query, { userId, id });
  return rows[0];
}

/** Deletes what still waits for a channel that has ended. */
const deleteUnsent = (query: Query, { userId, id }: OfChannel) => unsentOf(userId, id).execute(query);
