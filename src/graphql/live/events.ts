import type { PubSub } from 'type-graphql';
import type { Database } from '../../database/database.js';
import { Refusal, unavailable } from '../../errors.js';

/** The source of events for `@Subscription({ topics, topicId })`: the announcements to that user. */
export const changesFrom = (announcements: Database['announcements']): PubSub => ({
  publish: () => {
    throw new Error('Changes are announced by the statements that make them');
  },
  // Returns a promise, although the type does not allow for one; TypeGraphQL awaits it, as it does the check of the
  // token.
  subscribe: (topic, userId) =>
    subscribe(announcements, topic, String(userId)) as unknown as AsyncIterable<unknown>,
});

async function subscribe(
  announcements: Database['announcements'],
  topic: string,
  userId: string,
): Promise<EventQueue<unknown>> {
  let unsubscribe = () => {};
  const queue = new EventQueue<unknown>(() => unsubscribe());
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

interface Waiting<T> {
  resolve: (result: IteratorResult<T, undefined>) => void;
  reject: (error: unknown) => void;
}

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** A queue between announcements and one subscription. Ends when the reader leaves or falls too far behind. */
class EventQueue<T> implements AsyncIterableIterator<T, undefined> {
  private pending: T[] = [];
  private readonly waiting: Waiting<T>[] = [];
  private failure: { error: unknown } | undefined;
  isEnded = false;

  constructor(private readonly onEnd: () => void) {}

  push(event: T): void {
    if (this.isEnded) return;
    const reader = this.waiting.shift();
    if (reader) reader.resolve({ done: false, value: event });
    else if (this.pending.push(event) > MAX_PENDING) this.fail(tooSlow());
  }

  /** Drops pending events; the reader gets the error next. */
  fail(error: unknown): void {
    if (this.isEnded) return;
    const reader = this.waiting.shift();
    if (reader) reader.reject(error);
    else this.failure = { error };
    this.end();
  }

  async next(): Promise<IteratorResult<T, undefined>> {
    const { failure } = this;
    this.failure = undefined;
    if (failure) throw failure.error;
    const event = this.pending.shift();
    if (event !== undefined) return { done: false, value: event };
    if (this.isEnded) return DONE;
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject });
    });
  }

  async return(): Promise<IteratorResult<T, undefined>> {
    this.end();
    return DONE;
  }

  async throw(error: unknown): Promise<IteratorResult<T, undefined>> {
    this.fail(error);
    return DONE;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  private end(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.pending = [];
    for (const reader of this.waiting.splice(0)) reader.resolve(DONE);
    this.onEnd();
  }
}

const tooSlow = () =>
  new Refusal(
    'throttled',
    'OVERLOADED',
    `More than ${MAX_PENDING} changes were waiting to be read; subscribe again`,
  );
