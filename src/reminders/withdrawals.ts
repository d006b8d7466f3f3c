import type { Logger } from 'pino';
import type { Senders } from '../channels/senders.js';
import type { Database } from '../database/database.js';
import { topics } from '../telemetry/topics.js';
import { type Claimed, deleteMessage, type MessageTables, shownMessages } from './message.queries.js';
import type { Renderer } from './renderer.js';

/** Changes of so long are looked at together. */
const TOGETHER_MS = 200;

/** Takes messages off the screens that show them, once all that they name is done or skipped. */
export class Withdrawals {
  private readonly changed = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private working: Promise<void> = Promise.resolve();
  private readonly unfollow: () => void;

  constructor(
    private readonly database: Database,
    private readonly senders: Senders,
    private readonly renderer: Renderer,
    private readonly log: Logger,
  ) {
    this.unfollow = senders.ntfy ? topics.daysChanged.follow((userId) => this.note(userId)) : () => {};
  }

  /** All that was noted so far. */
  async settled(): Promise<void> {
    if (this.timer) this.begin();
    await this.working;
  }

  async stop(): Promise<void> {
    this.unfollow();
    clearTimeout(this.timer);
    this.timer = undefined;
    await this.working;
  }

  private note(userId: string): void {
    this.changed.add(userId);
    this.timer ??= setTimeout(() => this.begin(), TOGETHER_MS).unref();
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
    const { rows } = await shownMessages(query, userIds);
    for (const message of rows) {
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
