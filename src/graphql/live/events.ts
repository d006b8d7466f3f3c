import type { PubSub } from 'type-graphql';
import { Refusal, unavailable } from '../../base/errors.js';
import type { Database } from '../../database/database.js';

/** Where the events of a topic come from that are more than its announcements. */
export type Sources = Record<string, (topicId: unknown) => Promise<AsyncIterable<unknown>>>;

/** The source of events for `@Subscription({ topics, topicId })`: the announcements to that user, or one of its own. */
export const changesFrom = (announcements: Database['announcements'], sources: Sources = {}): PubSub => ({
  publish: () => {
    throw new Error('Changes are announced by the statements that make them');
  },
  // Returns a promise, although the type does not allow for one; TypeGraphQL awaits it, as it does the check of the
  // token.
  subscribe: (topic, id) =>
    (sources[topic]?.(id) ??
      announcedTo(announcements, topic, String(id))) as unknown as AsyncIterable<unknown>,
});

/** The announcements to a user. With `isSignal`, what comes while one waits to be read is one with it. */
export async function announcedTo(
  announcements: Database['announcements'],
  topic: string,
  userId: string,
  { isSignal = false } = {},
): Promise<AsyncIterableIterator<unknown, undefined>> {
  let unsubscribe = () => {};
  const queue = new EventQueue(() => unsubscribe(), isSignal);
  const subscriber = {
    topic,
    notify: (event: unknown) => queue.push(event),
    interrupt: () => queue.end(new Interrupted('Changes may have been missed')),
  };
  unsubscribe = await announcements.subscribe(userId, subscriber).catch(() => {
    throw unavailable('NOT_APPLIED');
  });
  if (queue.isEnded) unsubscribe(); // too many events came before there was anything to end
  return queue;
}

/** How many events may wait for a slow subscriber. */
const MAX_PENDING = 100;

/** Events may have been missed. The transport disconnects, so that the client reconnects and reads anew. */
export class Interrupted extends Error {}

/** Between announcements and the one reader of a subscription, which leaves or falls too far behind. */
class EventQueue implements AsyncIterableIterator<unknown, undefined> {
  private pending: unknown[] = [];
  private error: Error | undefined;
  private wake = () => {};
  isEnded = false;

  constructor(
    private readonly onEnd: () => void,
    private readonly isSignal: boolean,
  ) {}

  push(event: unknown): void {
    if (this.isEnded) return;
    if (this.isSignal) this.pending = [];
    if (this.pending.push(event) > MAX_PENDING) this.end(tooSlow());
    this.wake();
  }

  /** Drops pending events; the reader gets the error next. */
  end(error?: Error): void {
    if (this.isEnded) return;
    Object.assign(this, { isEnded: true, pending: [], error });
    this.wake();
    this.onEnd();
  }

  async next(): Promise<IteratorResult<unknown, undefined>> {
    if (this.pending.length === 0 && !this.isEnded)
      await new Promise<void>((wake) => {
        this.wake = wake;
      });
    const { error } = this;
    this.error = undefined;
    if (error) throw error;
    return this.isEnded ? { done: true, value: undefined } : { done: false, value: this.pending.shift() };
  }

  async return(): Promise<IteratorResult<unknown, undefined>> {
    this.end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator] = () => this;
}

const tooSlow = () =>
  new Refusal(
    'throttled',
    'OVERLOADED',
    `More than ${MAX_PENDING} changes were waiting to be read; subscribe again`,
  );
