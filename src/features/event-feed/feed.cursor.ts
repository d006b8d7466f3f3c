import { invalid } from '../../base/errors.js';
import type { FeedRow } from './feed.queries.js';

/** Where a reader stands: behind this number, of the feed that it names, or of whichever there is. */
export interface FeedCursor {
  number: number;
  word?: string | undefined;
}

/** Also the id of an event. It has no full stop, which separates the parts of a signature. */
export const idOf = (word: string, number: number) => `${word}-${number}`;

const WRITTEN = /^(?:([0-9A-Za-z]{1,40})-)?(\d{1,10})$/;

export function cursorIn(text: string): FeedCursor {
  const [found, word, number] = WRITTEN.exec(text) ?? [];
  if (found === undefined)
    throw invalid('After must be a cursor of events, or the number of an event', 'after');
  return { number: Number(number), word };
}

const truncated = () => invalid('What follows is not known any more: begin again', 'after', 'FEED_TRUNCATED');

/** Refuses unless all that follows the cursor is there. */
export function assertFollows({ number, word }: FeedCursor, feed: FeedRow): void {
  const isOfOther = word !== undefined && word !== feed.word;
  const isForgotten = number < feed.lastNumber && number + 1 < (feed.firstStored ?? Number.POSITIVE_INFINITY);
  if (isOfOther || number > feed.lastNumber || isForgotten) throw truncated();
}
