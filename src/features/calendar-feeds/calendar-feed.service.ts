import { randomUUID } from 'node:crypto';
import type { Clock } from '../../base/clock.js';
import type { Config } from '../../base/config.js';
import { limitReached, missing } from '../../base/errors.js';
import type { Caller } from '../../base/scopes.js';
import { trimmed } from '../../base/validation.js';
import type { Database } from '../../database/database.js';
import type { AccountService } from '../account/account.service.js';
import { digestOf, newSecret } from '../account/secret.js';
import { UUID } from '../account/tokens.js';
import { UsersOfLinks } from '../check-in/users-of-links.js';
import type { CreateCalendarFeedInput } from './calendar-feed.input.js';
import {
  type CalendarFeedRow,
  type CalendarFeedTables,
  deleteFeed,
  feedByDigest,
  feedsOf,
  insertFeed,
  noteReading,
} from './calendar-feed.queries.js';
import { calendarFeedLimits } from './limits.js';

/** Between two readings of one calendar that are written down. */
const NOTED_EVERY_MS = 60_000;

/** Makes calendars that others read, lists them, finds them by their addresses, and ends them. */
export class CalendarFeedService {
  private readonly users = new UsersOfLinks();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly accounts: AccountService,
    private readonly config: Pick<Config, 'publicUrl'>,
  ) {}

  /** The secret is told this once. */
  async create(
    caller: Caller,
    { name, tag = null, section = null, links }: CreateCalendarFeedInput,
  ): Promise<{ feed: CalendarFeedRow; secret: string }> {
    const { userId } = caller;
    const secret = newSecret();
    const made = { id: randomUUID(), userId, digest: digestOf(secret), createdAt: this.clock.now() };
    const row = { ...made, name, tag: tag && trimmed(tag), section, links };
    const feed = await this.database.transaction(async (tx) => {
      const query = tx.getKysely<CalendarFeedTables>();
      await this.accounts.requireSession(query, caller);
      await this.accounts.lock(query, userId); // makes the limit exact
      const { rows } = await insertFeed(query, row, calendarFeedLimits.calendarFeeds);
      return rows[0];
    });
    if (!feed) throw limitReached(`You can have at most ${calendarFeedLimits.calendarFeeds} calendars`);
    return { feed, secret };
  }

  /** `origin`: the scheme and the host that were asked, for a service that does not know its own address. */
  baseOf(origin: string): string {
    return this.config.publicUrl ?? origin;
  }

  /** Oldest first. */
  ofUser(userId: string): Promise<CalendarFeedRow[]> {
    return this.database.run(feedsOf, { userId });
  }

  /** From then on its address is unknown. */
  async delete(userId: string, id: string): Promise<void> {
    const query = this.database.query<CalendarFeedTables>();
    const deleted = UUID.test(id) ? await deleteFeed(query, { userId, id }) : undefined;
    if (!deleted) throw noCalendar();
  }

  /** The user of an address, told without asking the database; undefined where that is not known yet. */
  userOf(secret: string): string | undefined {
    return this.users.of(secret);
  }

  /** Asks the database for whatever is given, so that what never was takes as long as what was deleted. */
  async find(secret: string): Promise<CalendarFeedRow> {
    const [feed] = await this.database.run(feedByDigest, { digest: digestOf(secret) });
    if (!feed) throw noCalendar();
    this.database.noteAccount(feed.userId);
    this.users.remember(secret, feed.userId);
    await this.noteReading(feed);
    return feed;
  }

  private async noteReading({ userId, id, lastReadAt }: CalendarFeedRow): Promise<void> {
    const now = this.clock.now();
    if (lastReadAt && now.getTime() - lastReadAt.getTime() < NOTED_EVERY_MS) return;
    const noted = noteReading(this.database.query<CalendarFeedTables>(), { userId, id }, now);
    await noted.catch(() => {}); // it is for people's information only
  }
}

export const noCalendar = () => missing('Calendar');
