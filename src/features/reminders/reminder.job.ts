import type { Logger } from 'pino';
import type { Clock } from '../../base/clock.js';
import type { Database } from '../../database/database.js';
import {
  isOutOfRoom,
  isPlainError,
  isReadOnly,
  isTransient,
  isUnanswered,
  isZoneUnknown,
} from '../../database/outcome.js';
import { unknownZones } from '../account/zones.js';
import type { ChannelKind } from './channels/channel.entity.js';
import { HOLD, storedValue } from './channels/stored-values.js';
import { forgetOld, type MessageTables } from './message.queries.js';
import {
  bringBack,
  type Due,
  nextDue,
  putOff,
  type ReminderTables,
  ringDue,
  STILL_RINGS_MS,
  whatIsDue,
} from './reminder.queries.js';

const MINUTE_MS = 60_000;

/** By then nobody dismisses a message any more. */
const FORGOTTEN_AFTER_MS = 36 * 60 * MINUTE_MS;

/** A batch of the most is in halves down to one by nine: with more, it is not one reminder that is at fault. */
const FAILURES_IN_A_ROW = 12;

/** With those that this run has passed over. */
type Passing = Due & { except: string[] };

interface Failure {
  error: unknown;
  onDue: () => void;
}

/** Whether a single reminder may be why a statement has failed, and not the database. */
const mayBeOfOne = (error: unknown): boolean =>
  isUnanswered(error) || (isPlainError(error) && !isReadOnly(error) && !isOutOfRoom(error));

/** Moves what is due on, and leaves messages for it. Any number of processes may do so at the same time. */
export class ReminderJob {
  private isStopping = false;
  /** In a row. */
  private failures = 0;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly kinds: readonly ChannelKind[],
    private readonly log: Logger,
  ) {}

  /**
   * One statement if nothing is due. While reminders are held back, they move on silently. Calls `onDue` whenever a
   * message may be due, so that the first are sent while others still ring.
   */
  async run(onDue = () => {}): Promise<void> {
    const now = this.clock.now();
    const query = this.database.query<ReminderTables>();
    const since = new Date(now.getTime() - STILL_RINGS_MS);
    const { rings, messages } = await whatIsDue(query, now);
    if (messages) onDue();
    if (rings) {
      const kinds = (await storedValue(query, HOLD)) === undefined ? this.kinds : [];
      const due = { now, since, kinds, except: [] };
      this.failures = 0;
      while (!this.isStopping && (await this.ring(due, onDue)) > 0) onDue();
    }
  }

  /** What is due still rings when the service runs again. */
  stop(): void {
    this.isStopping = true;
  }

  /** Where a zone is unknown, since the database was restored from one that knows more, only its users do not ring. */
  private async ring(due: Passing, onDue: () => void): Promise<number> {
    const query = this.database.query<ReminderTables>();
    try {
      return await ringDue(query, due);
    } catch (error) {
      if (isZoneUnknown(error)) {
        const zones = (await unknownZones(this.database.query())).map(({ zone }) => zone);
        if ((await putOff(query, { zones }, due.now)) > 0) return 1;
      }
      const ids = await nextDue(query, due);
      if (ids.length > 0) await this.ringInHalves(due, ids, { error, onDue });
      return ids.length;
    }
  }

  /** So that what cannot ring stands alone in the end, and the others ring. */
  private async ringInHalves(due: Passing, ids: readonly string[], { error, onDue }: Failure): Promise<void> {
    this.failures += 1;
    if (!mayBeOfOne(error) || this.failures >= FAILURES_IN_A_ROW) throw error;
    if (ids.length <= 1) return this.passOver(due, ids, error);
    const middle = Math.ceil(ids.length / 2);
    for (const only of [ids.slice(0, middle), ids.slice(middle)]) {
      if (this.isStopping) return;
      try {
        await ringDue(this.database.query<ReminderTables>(), { ...due, only });
        this.failures = 0;
        onDue();
      } catch (cause) {
        await this.ringInHalves(due, only, { error: cause, onDue });
      }
    }
  }

  /** What may succeed later is due again in a minute, and else on another day. */
  private async passOver(due: Passing, ids: readonly string[], error: unknown): Promise<void> {
    due.except.push(...ids);
    const isLater = isTransient(error) || isUnanswered(error);
    this.log.error(
      { err: error, reminders: ids },
      isLater
        ? 'A reminder could not ring, and is tried again in a minute'
        : 'A reminder could not ring, and is put off by a day',
    );
    if (!isUnanswered(error)) this.failures = 0; // the database is there, and the fault is that of a few
    if (!isLater) await putOff(this.database.query<ReminderTables>(), { ids }, due.now);
  }

  /** Forgets what nobody dismisses any more, and mends what a wrong clock has planned. */
  async tidy(): Promise<void> {
    const now = this.clock.now();
    const query = this.database.query<MessageTables>();
    const before = new Date(now.getTime() - FORGOTTEN_AFTER_MS);
    while (await forgetOld(query, before));
    while (await bringBack(query, now));
  }
}
