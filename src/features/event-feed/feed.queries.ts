import { type Kysely, type QueryExecutorProvider, sql } from 'kysely';
import { type Columns, columnsOf, type RowOf } from '../../database/columns.js';
import { statement } from '../../database/statement.js';
import { type AccountTables, lockAccount } from '../account/account.queries.js';
import { randomText } from '../account/secret.js';
import { type EventFeed, FeedEvent } from './feed.entity.js';

export type FeedTables = AccountTables & {
  event_feeds: Columns<EventFeed>;
  events: Columns<Omit<FeedEvent, 'id'>>;
};

type Query = Kysely<FeedTables>;

const eventColumns = columnsOf(FeedEvent, 'id', 'userId');

export type EventRow = RowOf<typeof eventColumns>;

export interface FeedRow {
  word: string;
  lastNumber: number;
  /** Null when none is kept. */
  firstStored: number | null;
}

interface Owner {
  userId: string;
}

const firstStored = (userId: string) =>
  sql<number | null>`(select min(number) from events where user_id = ${userId}::uuid)`;

/**
 * The feed with the events after a number, in one snapshot: none are those of a feed that has begun anew meanwhile. One
 * row without an event, where none follows.
 */
const page = statement(
  (_query: Query, { userId, number, limit }: Owner & { number: number; limit: number }) =>
    sql<FeedRow & { [Name in keyof EventRow]: EventRow[Name] | null }>`
      select feed.word, feed.last_number as "lastNumber", ${firstStored(userId)} as "firstStored",
        ${eventColumns.textOf('event')}
      from event_feeds feed left join lateral (
        select * from events where user_id = ${userId}::uuid and number > ${number}::int
        order by number limit ${limit}::int
      ) event on true
      where feed.user_id = ${userId}::uuid
      order by event.number`,
);

export const feeds = { page };

export const eventsIn = (rows: readonly { number: number | null }[]): EventRow[] =>
  rows.filter(({ number }) => number !== null).map((row) => eventColumns.from(row as EventRow));

/** Without the feeds of those who have none. */
export async function feedsOf(
  query: Query,
  userIds: readonly string[],
): Promise<(Owner & Pick<FeedRow, 'lastNumber'>)[]> {
  return query
    .selectFrom('event_feeds')
    .where(sql<boolean>`user_id = any(${userIds}::uuid[])`)
    .select(['user_id as userId', 'last_number as lastNumber'])
    .execute();
}

/** Waits for changes that are being told: what comes later finds a lease that was there before. */
export const lastNumberOf = (query: Query, { userId }: Owner) =>
  query
    .selectFrom('event_feeds')
    .where('user_id', '=', userId)
    .select('last_number as lastNumber')
    .forShare()
    .executeTakeFirst();

export async function countEvents(query: Query, { userId }: Owner): Promise<number> {
  const found = await query
    .selectFrom('events')
    .where('user_id', '=', userId)
    .select(sql<number>`count(*)::int`.as('count'))
    .executeTakeFirst();
  return found?.count ?? 0;
}

const newWord = () => randomText(20);

/**
 * Turns it on, in the transaction that has locked the profile: behind all that is being changed, and before all that
 * will be. A change that does not lock the account locks one of these rows, and is waited for.
 */
export async function insertFeed(query: Query, userId: string): Promise<void> {
  await lockAccount(query, userId);
  const found = await query
    .selectFrom('event_feeds')
    .where('user_id', '=', userId)
    .select('user_id')
    .executeTakeFirst();
  if (found) return;
  for (const table of ['tasks', 'user_challenges'])
    await sql`select from ${sql.table(table)} where user_id = ${userId}::uuid order by id for share`.execute(
      query,
    );
  await setHasFeed(query, userId, true);
  await query
    .insertInto('event_feeds')
    .values({ user_id: userId, word: newWord(), last_number: 0 })
    .execute();
}

/** With its events, under the lock of the account. */
export async function deleteFeed(query: Query, userId: string): Promise<void> {
  await setHasFeed(query, userId, null);
  await query.deleteFrom('event_feeds').where('user_id', '=', userId).execute();
}

const setHasFeed = (query: Query, userId: string, hasFeed: true | null) =>
  query.updateTable('user_progress').set({ has_feed: hasFeed }).where('user_id', '=', userId).execute();

/** Some that are not kept any more. Returns whether there may be more. */
export async function forgetEvents(query: QueryExecutorProvider, before: Date): Promise<boolean> {
  const { rows } = await sql`
    delete from events using (
      select user_id, number from events where at < ${before}::timestamptz order by at, number limit 5000
    ) old where events.user_id = old.user_id and events.number = old.number returning 1`.execute(query);
  return rows.length > 0;
}

/** What readers have read since a backup was made is not in it: each begins again. For the transaction that restores it. */
export async function beginFeedsAnew(query: QueryExecutorProvider): Promise<void> {
  await sql`update event_feeds set word = ${newWord()}`.execute(query);
}
