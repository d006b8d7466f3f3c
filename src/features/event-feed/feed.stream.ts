import type { FeedCursor } from './feed.cursor.js';
import type { FeedEvent } from './feed.entity.js';
import type { FeedService } from './feed.service.js';

/** Read at a time. */
const CHUNK = 50;

const DONE = { done: true, value: undefined } as const;

/** Each event after a cursor: those that are kept, and then, whenever `changes` has something, those that came. */
export class EventStream implements AsyncIterableIterator<FeedEvent, undefined> {
  private pending: FeedEvent[] = [];

  constructor(
    private readonly feed: FeedService,
    private readonly userId: string,
    private after: FeedCursor,
    private readonly changes: AsyncIterator<unknown, undefined>,
  ) {}

  async next(): Promise<IteratorResult<FeedEvent, undefined>> {
    for (;;) {
      const event = this.pending.shift();
      if (event) return { done: false, value: event };
      await this.read();
      if (this.pending.length > 0) continue;
      if ((await this.changes.next()).done) return DONE;
    }
  }

  async return(): Promise<IteratorResult<FeedEvent, undefined>> {
    await this.changes.return?.();
    return DONE;
  }

  [Symbol.asyncIterator] = () => this;

  private async read(): Promise<void> {
    const { userId, after } = this;
    const { word, events } = await this.feed.readAsEvent(userId, after, CHUNK);
    this.after = { number: events.at(-1)?.number ?? after.number, word };
    this.pending = events;
  }
}
