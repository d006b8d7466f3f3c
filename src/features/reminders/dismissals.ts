import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Clock } from '../../base/clock.js';
import { FairSemaphore } from '../../base/queues/fair-semaphore.js';
import { inBackground } from '../../base/request.js';
import type { Database } from '../../database/database.js';
import { topics } from '../history/topics.js';
import type { Senders } from './channels/senders.js';
import {
  forgetShown,
  type MessageTables,
  type Shown,
  shownTo,
  usersWithMessages,
} from './message.queries.js';
import type { Renderer } from './renderer.js';

/** Changes of so long are looked at together. */
const TOGETHER_MS = 200;

/** After so long, a message that was being sent is looked at again: it may be shown by then. */
const AGAIN_MS = 1_000;

/** How long a stop waits for messages to be dismissed. */
const STOP_MS = 4_000;

/**
 * So many users at a time: one with many messages does not keep those of others on their screens. Their statements take
 * turns with those of events, which leaves connections for requests however few there are.
 */
const USERS_AT_ONCE = 8;

/** Takes messages off the screens that show them, once all that they name is done or skipped. */
export class Dismissals {
  private readonly changed = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private readonly working = new Set<Promise<void>>();
  private readonly semaphore = new FairSemaphore({ size: USERS_AT_ONCE, ofOne: 1 });
  private isStopping = false;
  private readonly unfollow: () => void;

  constructor(
    private readonly database: Database,
    private readonly senders: Senders,
    private readonly renderer: Renderer,
    private readonly log: Logger,
    private readonly clock: Clock,
  ) {
    this.unfollow = senders.ntfy ? topics.daysChanged.follow((userId) => this.note(userId)) : () => {};
  }

  /** All that was noted so far. */
  async settled(): Promise<void> {
    if (this.timer) this.begin();
    await Promise.all(this.working);
  }

  async stop(): Promise<void> {
    this.unfollow();
    this.isStopping = true;
    await Promise.race([this.settled(), delay(STOP_MS, undefined, { ref: false })]); // with changes of the last moment
  }

  private note(userId: string, afterMs = TOGETHER_MS): void {
    this.changed.add(userId);
    this.timer ??= setTimeout(() => this.begin(), afterMs).unref();
  }

  private begin(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const userIds = [...this.changed];
    this.changed.clear();
    const work = inBackground(() => this.dismiss(userIds))
      .catch((error: unknown) => this.log.warn({ err: error }, 'Reminders could not be dismissed'))
      .finally(() => this.working.delete(work));
    this.working.add(work);
  }

  /** One line of what fails, which is tried again at the next change. */
  private async dismiss(userIds: readonly string[]): Promise<void> {
    const found = await usersWithMessages(this.database.query<MessageTables>(), userIds);
    const failures: unknown[] = [];
    const each = found.map((userId) =>
      this.semaphore
        .withPermit(userId, () => this.database.asEvent(userId, () => this.dismissOf(userId)))
        .catch((error: unknown) => failures.push(error)),
    );
    await Promise.all(each);
    const [err] = failures;
    if (err) this.log.warn({ err, users: failures.length }, 'Reminders could not be dismissed');
  }

  /** The rest of a user's stays where one fails: a receiver that hangs is not waited for once more for each. */
  private async dismissOf(userId: string): Promise<void> {
    const query = this.database.query<MessageTables>();
    const { shown, isSending } = await shownTo(query, userId, this.clock.now());
    if (isSending && !this.isStopping) this.note(userId, AGAIN_MS);
    for (const ofDay of Map.groupBy(shown, ({ day }) => day).values()) {
      const open = await this.renderer.openTasksOf(ofDay);
      for (const message of ofDay) {
        if (!message.taskIds.some((id) => open.has(id))) await this.takeOff(message);
      }
    }
  }

  /** In this order: what could not be dismissed is still known at the next change. */
  private async takeOff(message: Shown): Promise<void> {
    await this.senders.of(message.kind)?.dismiss?.(message, message.id);
    await forgetShown(this.database.query<MessageTables>(), message);
  }
}
