import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { noteFailure, noteTaken } from '../channels/channel.queries.js';
import type { Delivery } from '../channels/message.js';
import type { Senders } from '../channels/senders.js';
import type { Clock } from '../clock.js';
import type { Database } from '../database/database.js';
import { Counts } from '../queues/line.js';
import { topics } from '../telemetry/topics.js';
import {
  type Claimed,
  claimMessages,
  deleteMessage,
  giveUpOthers,
  keepSent,
  type MessageTables,
  tryAgain,
} from './message.queries.js';
import { STILL_RINGS_MS } from './reminder.queries.js';
import type { Renderer } from './renderer.js';

/** How long after a failure it is tried again. */
const PAUSES_MS = [10_000, 60_000, 300_000];

/** How often a process looks for messages that it is to try again. */
export const LOOK_EVERY_MS = 10_000;

/** A process that is at a message for longer has died. */
const LEASE_MS = 60_000;

/** What is under way by then is sent again by another process. */
const STOP_MS = 4_000;

/** So many hosts may hang before messages to others have to wait. */
const HANGING_HOSTS = 8;
const OF_ONE_HOST = 32;
const AT_ONCE = HANGING_HOSTS * OF_ONE_HOST;

/** How many messages are claimed together. A host with less room counts as busy, so that none exceeds its share. */
const TOGETHER = OF_ONE_HOST / 2;

/** Sends messages that are due, many at once, and of one host no more than leaves room for others. */
export class MessageSender {
  private readonly underWay = new Counts();
  private working: Promise<void> | undefined;
  private isAsked = false;
  private isStopping = false;
  private wake = () => {};
  /** Until then a message of this process waits to be tried again. */
  private triesUntil = new Date(0);

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly senders: Senders,
    private readonly renderer: Renderer,
    private readonly log: Logger,
  ) {}

  get hasFailed(): boolean {
    return this.clock.now() <= this.triesUntil;
  }

  /** Resolves when nothing is due any more, and all that was sent is noted. What is new does not wait for what hangs. */
  async run(): Promise<void> {
    if (this.isStopping) return;
    this.ask();
    this.working ??= this.work();
    await this.working;
  }

  private ask(): void {
    this.isAsked = true;
    this.wake();
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    const late = delay(STOP_MS, undefined, { ref: false });
    await Promise.race([this.working?.catch(() => {}), late]);
  }

  private async work(): Promise<void> {
    try {
      while (this.isAsked || this.underWay.total > 0) {
        if (!this.isAsked) await this.asked();
        this.isAsked = false;
        const mayClaim = !this.isStopping && this.underWay.total < AT_ONCE;
        const claimed = mayClaim ? await this.claim() : [];
        for (const each of claimed) this.begin(each);
        this.isAsked ||= claimed.length > 0;
      }
    } finally {
      this.working = undefined;
    }
  }

  private asked(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }

  private async claim(): Promise<Claimed[]> {
    const now = this.clock.now();
    const { rows } = await claimMessages(this.database.query<MessageTables>(), {
      now,
      leaseUntil: new Date(now.getTime() + LEASE_MS),
      since: new Date(now.getTime() - STILL_RINGS_MS),
      busy: this.underWay.ownersWith(OF_ONE_HOST - TOGETHER + 1),
      most: Math.min(TOGETHER, AT_ONCE - this.underWay.total),
    });
    return rows;
  }

  private begin(message: Claimed): void {
    const { host } = message;
    this.underWay.add(host, 1);
    this.send(message)
      .catch((error: unknown) => this.log.error({ err: error }, 'A reminder could not be sent'))
      .finally(() => {
        const mayHaveWaited = this.underWay.total > AT_ONCE - TOGETHER;
        this.underWay.add(host, -1);
        const isBusyNoMore = this.underWay.of(host) === OF_ONE_HOST - TOGETHER;
        if (isBusyNoMore || mayHaveWaited || this.underWay.total === 0) this.ask();
      });
  }

  private async send(message: Claimed): Promise<void> {
    const query = this.database.query<MessageTables>();
    // It reads in turn with events, which leaves connections for requests.
    const notice = await this.database.asEvent(message.userId, () => this.renderer.noticeFor(message));
    const sender = this.senders.of(message.kind);
    if (!notice || !sender) {
      if (message.tries > 1) await sender?.withdraw?.(message, message.id); // it may be shown since an earlier try
      await deleteMessage(query, message);
      return;
    }
    if (sender.sendsOnce && (await giveUpOthers(query, message)).rows.length === 0) return;
    const delivery = await sender.send(message, notice);
    topics.reminders.tell({ kind: message.kind, outcome: delivery.taken ? 'sent' : 'failed' });
    const channel = { userId: message.userId, id: message.channelId };
    const now = this.clock.now();
    if (!delivery.taken) return this.noteFailed(message, delivery);
    await (sender.withdraw ? keepSent(query, message, notice.taskIds) : deleteMessage(query, message));
    await noteTaken(query, channel, now);
  }

  private async tryAgain(message: Claimed, at: Date): Promise<void> {
    const until = new Date(at.getTime() + LOOK_EVERY_MS);
    if (until > this.triesUntil) this.triesUntil = until;
    await tryAgain(this.database.query<MessageTables>(), message, at);
  }

  private async noteFailed(message: Claimed, delivery: Delivery & { taken: false }): Promise<void> {
    const query = this.database.query<MessageTables>();
    const now = this.clock.now();
    const pause = PAUSES_MS[message.tries - 1];
    const isGivenUp = pause === undefined || delivery.ended || !delivery.again;
    this.log.warn(
      { channel: message.channelId, kind: message.kind, reason: delivery.error, tries: message.tries },
      isGivenUp
        ? 'A reminder was not taken, and is given up'
        : 'A reminder was not taken, and is tried again',
    );
    await (isGivenUp
      ? deleteMessage(query, message)
      : this.tryAgain(message, new Date(now.getTime() + pause)));
    await noteFailure(query, { userId: message.userId, id: message.channelId }, { now, ...delivery });
  }
}
