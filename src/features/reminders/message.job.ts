import type { Taken } from '../../jobs/jobs.queries.js';
import { ownerOf } from '../../jobs/jobs.queries.js';
import { type Base, type Hold, type Outcome, Runner } from '../../jobs/runner.js';
import { noteFailure, noteTaken } from './channels/channel.queries.js';
import type { Delivery, Sender } from './channels/message.js';
import type { Senders } from './channels/senders.js';
import {
  isWhole,
  keepShown,
  type Message,
  type MessageTables,
  messageOf,
  receiverOf,
  ringsAtAll,
  type TakenMessage,
} from './message.queries.js';
import { MESSAGE, STILL_RINGS_MS } from './reminder.queries.js';
import type { Renderer } from './renderer.js';
import { topics } from './topics.js';

/** So many hosts may hang before messages to others have to wait. */
const HANGING_HOSTS = 4;
const OF_ONE_HOST = 64;

/** Where users choose the host, one that takes longer hangs. */
const HANGS_AFTER_MS = 5_000;

/** How long a channel waits that has just hung, and how long its user does at that host. */
const RESTS_MS = { channel: 300_000, user: 60_000 };

/** Sends messages that are due, each in the lane of its host: a receiver that hangs delays nobody else's. */
export class MessageJob {
  readonly runner: Runner<Message>;
  /** Channels that have hung, and their users at that host: until when they wait. */
  private readonly rests = new Map<string, Date>();

  constructor(
    private readonly base: Base,
    private readonly senders: Senders,
    private readonly renderer: Renderer,
  ) {
    const failure = 'A reminder could not be sent';
    this.runner = new Runner<Message>(
      {
        ...{ kind: MESSAGE, failure },
        limits: { atOnce: HANGING_HOSTS * OF_ONE_HOST, ofLane: OF_ONE_HOST, ofUser: 2, together: 16 },
        leaseMs: 60_000,
        backOff: { firstMs: 10_000, factor: 6, longestMs: 300_000 },
        attempts: 4,
        lastsMs: STILL_RINGS_MS + 1,
        lookMs: 10_000,
        mayRun: ringsAtAll,
        isReady: (now) => isWhole(this.restingAt(now)),
        carryOut: (job, hold) => this.send(job, hold),
        givenUp: (count) => base.log.warn({ count }, 'Reminders could not be sent in time, and are given up'),
      },
      base,
    );
  }

  private restingAt(now: Date): string[] {
    for (const [each, until] of this.rests) if (until <= now) this.rests.delete(each);
    return [...this.rests.keys()];
  }

  private rest(job: Taken<Message>): void {
    const now = this.base.clock.now().getTime();
    const channelUntil = new Date(now + RESTS_MS.channel);
    this.rests.set(job.payload.channelId, channelUntil);
    this.rests.set(ownerOf(job), new Date(now + RESTS_MS.user));
    this.runner.lookUntil(channelUntil);
  }

  private async send(job: Taken<Message>, hold: Hold<Message>): Promise<Outcome<Message>> {
    const message = messageOf(job);
    // It reads in turn with events, which leaves connections for requests.
    const { receiver, notice } = await this.base.database.asEvent(message.userId, async () => ({
      receiver: await receiverOf(this.query(), message),
      notice: await this.renderer.noticeFor(message),
    }));
    const sender = receiver && this.senders.of(receiver.kind);
    if (!notice || !sender) {
      if (receiver && message.attempts > 1) await sender?.dismiss?.(receiver, message.id); // it may be shown since an earlier try
      return { is: 'DONE' };
    }
    if (sender.sendsOnce && !(await hold.giveUpOthers())) return { is: 'AGAIN' }; // by whoever has it now
    const sentAt = performance.now();
    const delivery = await sender.send(receiver, notice);
    const hung = performance.now() - sentAt > HANGS_AFTER_MS;
    topics.reminders.publish({ kind: receiver.kind, outcome: delivery.taken ? 'sent' : 'failed' });
    if (hung && !delivery.taken && sender.reachesAnyHost) this.rest(job);
    if (delivery.taken) return this.taken(message, sender, notice.taskIds);
    const isGivenUp = hold.isLast || delivery.ended || !delivery.again;
    await this.notTaken(message, delivery, { kind: receiver.kind, isGivenUp });
    return { is: isGivenUp ? 'DONE' : 'AGAIN' };
  }

  private async taken(message: TakenMessage, sender: Sender, named: number[]): Promise<Outcome<Message>> {
    if (sender.dismiss) await keepShown(this.query(), message, named); // before the job goes: it can be dismissed from now on
    const now = this.base.clock.now();
    await this.noted(noteTaken(this.query(), { userId: message.userId, id: message.channelId }, now));
    return { is: 'DONE' };
  }

  private async notTaken(
    { userId, channelId, attempts }: TakenMessage,
    delivery: Delivery & { taken: false },
    { kind, isGivenUp }: { kind: string; isGivenUp: boolean },
  ): Promise<void> {
    const { error, cause = error } = delivery;
    this.base.log.warn(
      { channel: channelId, kind, reason: cause, tries: attempts },
      isGivenUp
        ? 'A reminder was not taken, and is given up'
        : 'A reminder was not taken, and is tried again',
    );
    const now = this.base.clock.now();
    await this.noted(noteFailure(this.query(), { userId, id: channelId }, { now, ...delivery }));
  }

  /** What the user is shown of the channel is no reason to send a message again. */
  private async noted(writing: Promise<unknown>): Promise<void> {
    await writing.catch((error: unknown) =>
      this.base.log.error({ err: error }, 'The state of a channel could not be written down'),
    );
  }

  private query() {
    return this.base.database.query<MessageTables>();
  }
}
