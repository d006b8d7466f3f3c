import { unknownZones } from '../accounts/zones.js';
import type { ChannelKind } from '../channels/channel.entity.js';
import { HOLD, keptValue } from '../channels/kept-values.js';
import type { Clock } from '../clock.js';
import type { Database } from '../database/database.js';
import { isZoneUnknown } from '../database/outcome.js';
import {
  bringBack,
  type Due,
  deleteOldMessages,
  putOff,
  type ReminderTables,
  ringDue,
  STILL_RINGS_MS,
  whatIsDue,
} from './reminder.queries.js';

const MINUTE_MS = 60_000;

/** By then nobody takes a message back any more. */
const FORGOTTEN_AFTER_MS = 36 * 60 * MINUTE_MS;

/** Moves what is due on, and leaves messages for it. Any number of processes may do so at the same time. */
export class ReminderJob {
  private cleanedAt = 0;
  private isStopping = false;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly kinds: readonly ChannelKind[],
  ) {}

  /**
   * One statement if nothing is due. While reminders are held back, they move on silently. Calls `onDue` whenever a
   * message may be due, so that the first are sent while others still ring.
   */
  async run(onDue = () => {}): Promise<void> {
    const now = this.clock.now();
    const query = this.database.query<ReminderTables>();
    const since = new Date(now.getTime() - STILL_RINGS_MS);
    const { rings, messages } = await whatIsDue(query, { now, since });
    if (messages) onDue();
    if (rings) {
      const kinds = (await keptValue(query, HOLD)) === undefined ? this.kinds : [];
      while (!this.isStopping && (await this.ring({ now, since, kinds })) > 0) onDue();
    }
    await this.clean(now);
  }

  /** What is due still rings when the service runs again. */
  stop(): void {
    this.isStopping = true;
  }

  /** Where a zone is unknown, since the database was restored from one that knows more, only its users do not ring. */
  private async ring(due: Due): Promise<number> {
    const query = this.database.query<ReminderTables>();
    try {
      return await ringDue(query, due);
    } catch (error) {
      if (!isZoneUnknown(error)) throw error;
      const zones = (await unknownZones(this.database.query())).map(({ zone }) => zone);
      if ((await putOff(query, zones, due.now)) === 0) throw error;
      return 1;
    }
  }

  /** Once an hour. */
  private async clean(now: Date): Promise<void> {
    if (Math.abs(now.getTime() - this.cleanedAt) < 60 * MINUTE_MS) return; // the clock may be set back
    this.cleanedAt = now.getTime();
    const query = this.database.query<ReminderTables>();
    const before = new Date(now.getTime() - FORGOTTEN_AFTER_MS);
    while (await deleteOldMessages(query, before));
    while (await bringBack(query, now));
  }
}
