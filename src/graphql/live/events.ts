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
    interrupt: () => queue.fail(new Interrupted('Changes may have been missed')),
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

type Step = IteratorResult<unknown, undefined>;

const DONE = { done: true, value: undefined } as const;

/** Between announcements and the one reader of a subscription, which leaves or falls too far behind. */
class EventQueue implements AsyncIterableIterator<unknown, undefined> {
  private pending: unknown[] = [];
  private reader: PromiseWithResolvers<Step> | undefined;
  private failure: { error: unknown } | undefined;
  isEnded = false;

  constructor(
    private readonly onEnd: () => void,
    private readonly isSignal: boolean,
  ) {}

  push(value: unknown): void {
    if (this.isEnded) return;
    const { reader } = this;
    this.reader = undefined;
    if (reader) reader.resolve({ done: false, value });
    else if (this.isSignal) this.pending = [value];
    else if (this.pending.push(value) > MAX_PENDING) this.fail(tooSlow());
  }

  /** Drops pending events; the reader gets the error next. */
  fail(error: unknown): void {
    if (this.isEnded) return;
    if (this.reader) this.reader.reject(error);
    else this.failure = { error };
    this.end();
  }

  async next(): Promise<Step> {
    const { failure } = this;
    this.failure = undefined;
    if (failure) throw failure.error;
    if (this.pending.length > 0) return { done: false, value: this.pending.shift() };
    if (this.isEnded) return DONE;
    this.reader ??= Promise.withResolvers();
    return this.reader.promise;
  }

  async return(): Promise<Step> {
    this.end();
    return DONE;
  }

  [Symbol.asyncIterator] = () => this;

  private end(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.pending = [];
    this.reader?.resolve(DONE);
    this.onEnd();
  }
}

const tooSlow = () =>
  new Refusal(
    'throttled',
    'OVERLOADED',
    `More than ${MAX_PENDING} changes were waiting to be read; subscribe again`,
  );
