import { feature } from '../../feature.js';
import type { Trust } from '../../http/address.js';
import type { Account } from '../account/feature.js';
import type { CheckIn } from '../check-in/feature.js';
import type { History } from '../history/feature.js';
import { CalendarFeed } from './calendar-feed.entity.js';
import { CalendarFeedResolver, UserCalendars } from './calendar-feed.resolver.js';
import { calendarFeedRoutes, secretIn } from './calendar-feed.routes.js';
import { CalendarFeedService } from './calendar-feed.service.js';
import { FeedEntriesService } from './feed-entries.service.js';

/** Addresses at which other calendars read the days of a user's tasks. */
export const calendarFeeds = feature({
  entities: [CalendarFeed],
  build({ config, database, clock }, needs: Account & History & CheckIn) {
    const { accounts, days, taskDays, calendars, pauses, signed } = needs;
    const feeds = new CalendarFeedService(database, clock, accounts, config);
    const contents = new FeedEntriesService(database, days, taskDays, calendars, pauses, signed);
    return {
      resolvers: [new CalendarFeedResolver(feeds, accounts), new UserCalendars(feeds)],
      router: (trusts: Trust) =>
        calendarFeedRoutes({ feeds, contents, accounts, databaseTime: config.timeouts.databaseTime }, trusts),
      userOf: (url: string) => {
        const secret = secretIn(url);
        return secret === undefined ? undefined : feeds.userOf(secret);
      },
    };
  },
});
