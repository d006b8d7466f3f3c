import { feature, type ServicesOf } from '../../feature.js';
import { announcedTo } from '../../graphql/live/events.js';
import { Recurring } from '../../jobs/cron.js';
import { PROGRESS } from '../account/progress.announcement.js';
import type { Challenges } from '../challenges/feature.js';
import type { Habits } from '../habits/feature.js';
import type { History } from '../history/feature.js';
import { EventFeed, FeedEvent } from './feed.entity.js';
import {
  EVENTS,
  FeedEventFields,
  FeedResolver,
  FeedSubscription,
  type Reader,
  UserFeedFields,
} from './feed.resolver.js';
import { FeedService } from './feed.service.js';
import { EventStream } from './feed.stream.js';
import { feedReasons } from './reasons.js';

export const eventFeed = feature({
  reasons: feedReasons,
  entities: [EventFeed, FeedEvent],
  build(base, { tasks, completions, challenges, pauses }: Challenges & Habits & History) {
    const { database, clock } = base;
    const feed = new FeedService(database, clock);
    const tidying = new Recurring(
      {
        ...{ kind: 'events-tidy', period: 'NIGHT', failure: 'Old events could not be forgotten' },
        work: () => feed.tidy(),
      },
      base,
    );
    /** It listens before it looks where the feed ends: no event is between the two. */
    const events = async ({ userId, after }: Reader) => {
      const changes = await announcedTo(database.announcements, PROGRESS, userId, { isSignal: true });
      try {
        return new EventStream(feed, userId, await feed.begin(userId, after), changes);
      } catch (error) {
        await changes.return?.();
        throw error;
      }
    };
    return {
      services: { feed },
      resolvers: [
        new FeedResolver(feed),
        new FeedSubscription(),
        new FeedEventFields(tasks, completions, challenges, pauses),
        new UserFeedFields(feed),
      ],
      sources: { [EVENTS]: (reader: unknown) => events(reader as Reader) },
      jobs: { byLeader: [tidying] },
    };
  },
});

export type EventFeedServices = ServicesOf<typeof eventFeed>;
