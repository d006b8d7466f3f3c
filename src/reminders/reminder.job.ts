import type { ChannelKind } from '../channels/channel.entity.js';
import { HOLD, keptValue } from '../channels/kept-values.js';
import type { Clock } from '../clock.js';
import type { Database } from '../database/database.js';
import { deleteOldMessages, type ReminderTables, ringDue, whatIsDue } from './reminder.queries.js';

const MINUTE_MS = 60_000;

/** After an outage, what is older does not ring. */
export const STILL_RINGS_MS = 30 * MINUTE_MS;

/** In milliseconds: by then nobody takes a message back any more. */
const FORGOTTEN_AFTER_MS = 36 * 60 * MINUTE_MS;

/** Moves what is due on, and leaves messages for it. Any number of processes may do so at the same time. */
export class ReminderJob {
  private cleanedAt = 0;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly kinds: readonly ChannelKind[],
  ) {}

  /**
   * One statement if nothing is due. While reminders are held back, they move on silently. Returns whether a message may
   * be due.
   */
  async run(): Promise<boolean> {
    const now = this.clock.now();
    const query = this.database.query<ReminderTables>();
    const { rings, messages } = await whatIsDue(query, now);
    if (rings) {
      const kinds = (await keptValue(query, HOLD)) === undefined ? this.kinds : [];
      const since = new Date(now.getTime() - STILL_RINGS_MS);
      while ((await ringDue(query, { now, since, kinds })) > 0);
    }
    await this.clean(now);
    return rings || messages;
  }

  /** Once an hour. */
  private async clean(now: Date): Promise<void> {
    this.cleanedAt ||= now.getTime();
    if (now.getTime() - this.cleanedAt < 60 * MINUTE_MS) return;
    this.cleanedAt = now.getTime();
    await deleteOldMessages(
      this.database.query<ReminderTables>(),
      new Date(now.getTime() - FORGOTTEN_AFTER_MS),
    );
  }
}
