import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Senders } from '../channels/senders.js';
import type { Clock } from '../clock.js';
import type { Database } from '../database/database.js';
import { topics } from '../telemetry/topics.js';
import { type Claimed, deleteMessage, type MessageTables, shownMessages } from './message.queries.js';
import type { Renderer } from './renderer.js';

/** Changes of so long are looked at together. */
const TOGETHER_MS = 200;

/** After so long, a message that was being sent is looked at again: it may be shown by then. */
const AGAIN_MS = 1_000;

/** How long a stop waits for messages to be taken back. */
const STOP_MS = 4_000;

/** Takes messages off the screens that show them, once all that they name is done or skipped. */
export class Withdrawals {
  private readonly changed = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private working: Promise<void> = Promise.resolve();
  private isStopping = false;
  private readonly clock: Clock;
  private readonly unfollow: () => void;

  constructor(
    private readonly database: Database,
    private readonly senders: Senders,
    private readonly renderer: Renderer,
    private readonly log: Logger,
    { clock, isOn }: { clock: Clock; isOn: boolean },
  ) {
    this.clock = clock;
    this.unfollow =
      isOn && senders.ntfy ? topics.daysChanged.follow((userId) => this.note(userId)) : () => {};
  }

  /** All that was noted so far. */
  async settled(): Promise<void> {
    if (this.timer) this.begin();
    await this.working;
  }

  async stop(): Promise<void> {
    this.unfollow();
    this.isStopping = true;
    if (this.timer) this.begin(); // for changes of the last moment
    await Promise.race([this.working, delay(STOP_MS, undefined, { ref: false })]);
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
    this.working = this.working
      .then(() => this.withdraw(userIds))
      .catch((error: unknown) => this.log.warn({ err: error }, 'Reminders could not be taken back'));
  }

  private async withdraw(userIds: readonly string[]): Promise<void> {
    const query = this.database.query<MessageTables>();
    const { rows } = await shownMessages(query, userIds, this.clock.now());
    for (const message of rows) {
      if (message.state === 'SENDING') {
        if (!this.isStopping) this.note(message.userId, AGAIN_MS);
        continue;
      }
      await this.withdrawn(message).catch((error: unknown) =>
        this.log.warn({ err: error, kind: message.kind }, 'A reminder could not be taken back'),
      );
    }
  }

  /** In this order: what could not be taken back is still known at the next change. */
  private async withdrawn(message: Claimed): Promise<void> {
    if ((await this.renderer.openOf({ ...message, isOfDay: false })).length > 0) return;
    await this.senders.of(message.kind)?.withdraw?.(message, message.id);
    await deleteMessage(this.database.query<MessageTables>(), message);
  }
}
