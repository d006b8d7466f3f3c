import type { Kysely } from 'kysely';
import type { Clock } from '../../base/clock.js';
import { invalid } from '../../base/errors.js';
import type { Database } from '../../database/database.js';
import { lockAccount } from '../account/account.queries.js';
import { assertFollows, cursorIn, type FeedCursor, idOf } from './feed.cursor.js';
import type { FeedEvent } from './feed.entity.js';
import {
  countEvents,
  deleteFeed,
  eventsIn,
  type FeedRow,
  type FeedTables,
  feeds,
  feedsOf,
  forgetEvents,
  insertFeed,
  lastNumberOf,
} from './feed.queries.js';
import { feedLimits } from './limits.js';

const DAY_MS = 86_400_000;

/** No feed has a number beyond it, nor has a column. */
const LARGEST = 2_147_483_647;

/** Events after a cursor, and the feed as it is by then. */
export interface EventsRead extends FeedRow {
  events: FeedEvent[];
}

export class FeedService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Without a cursor from the oldest that is kept. Refused unless all that follows it is there. */
  async read(userId: string, after: FeedCursor | undefined, limit: number): Promise<EventsRead> {
    const number = Math.min(after?.number ?? 0, LARGEST);
    const rows = await this.database.run(feeds.page, { userId, number, limit });
    const [feed] = rows;
    if (!feed) throw feedOff();
    if (after) assertFollows(after, feed);
    const { word, lastNumber, firstStored } = feed;
    const events = eventsIn(rows).map((event) => ({ ...event, userId, id: idOf(word, event.number) }));
    return { word, lastNumber, firstStored, events };
  }

  /** For somebody who follows: in a turn of that user. */
  readAsEvent(userId: string, after: FeedCursor, limit: number): Promise<EventsRead> {
    return this.database.asEvent(userId, () => this.read(userId, after, limit));
  }

  count(userId: string): Promise<number> {
    return countEvents(this.database.query<FeedTables>(), { userId });
  }

  /** Where a reader begins that wants what comes, once it listens. Whatever is being changed by now is waited for. */
  async begin(userId: string, after: string | null | undefined): Promise<FeedCursor> {
    const feed = await lastNumberOf(this.database.query<FeedTables>(), { userId });
    if (!feed) throw feedOff();
    return typeof after === 'string' ? cursorIn(after) : { number: feed.lastNumber };
  }

  /** The numbers of the last events; null where a user has no feed. */
  async lastNumbers(userIds: readonly string[]): Promise<(number | null)[]> {
    const found = await feedsOf(this.database.query<FeedTables>(), userIds);
    const byUser = new Map(found.map(({ userId, lastNumber }) => [userId, lastNumber]));
    return userIds.map((userId) => byUser.get(userId) ?? null);
  }

  /** What is not kept any more. */
  async tidy(): Promise<void> {
    const before = new Date(this.clock.now().getTime() - feedLimits.days * DAY_MS);
    while (await forgetEvents(this.database.query<FeedTables>(), before));
  }
}

const feedOff = () => invalid('Your account keeps no events: turn its feed on first', undefined, 'FEED_OFF');

type SetFeed = (query: Kysely<FeedTables>, userId: string, isOn: boolean) => Promise<void>;

/**
 * Turns the feed on or off, in the transaction that has locked the profile. `refuseWhileNeeded` refuses to turn off what
 * feeds something.
 */
export const setFeed =
  (refuseWhileNeeded: (query: Kysely<FeedTables>, userId: string) => Promise<void>): SetFeed =>
  async (query, userId, isOn) => {
    if (isOn) return insertFeed(query, userId);
    await lockAccount(query, userId);
    await refuseWhileNeeded(query, userId);
    await deleteFeed(query, userId);
  };
