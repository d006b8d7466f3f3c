import type { PubSub } from 'type-graphql';
import type { Database } from '../../database/database.js';
import { unavailable } from '../../errors.js';
import { EventQueue, Interrupted } from './event-queue.js';

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
  return queue;
}
