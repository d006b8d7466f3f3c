import { feature, type ServicesOf } from '../../feature.js';
import type { Account } from '../account/feature.js';
import type { Habits } from '../habits/feature.js';
import type { History } from '../history/feature.js';
import { checkInRoutes } from './check-in.routes.js';
import { CheckInService } from './check-in.service.js';
import { CheckInLink } from './check-in-link.entity.js';
import { carriedLinks } from './check-in-link.queries.js';
import { CheckInLinkFields, CheckInLinkResolver, TaskCheckInLinks } from './check-in-link.resolver.js';
import { CheckInLinkService } from './check-in-link.service.js';
import { SignedLinks } from './signed-links.js';

const ADDRESS = /^(?:\/api)?\/check-in\/([\w-]+)/;

export const checkIn = feature({
  entities: [CheckInLink],
  carries: [carriedLinks],
  build({ config, database, clock, secret }, needs: Account & Habits & History) {
    const { accounts, tasks, completions, days, taskDays } = needs;
    const signed = new SignedLinks(secret);
    const links = new CheckInLinkService(database, clock, accounts, tasks, config);
    const checkIns = new CheckInService(database, clock, signed, tasks, completions, days, taskDays);
    return {
      services: { signed },
      resolvers: [
        new CheckInLinkResolver(links, accounts),
        new CheckInLinkFields(tasks),
        new TaskCheckInLinks(links),
      ],
      routes: checkInRoutes(checkIns, accounts, config.publicPath),
      userOf: (url: string) => {
        const token = ADDRESS.exec(url)?.[1];
        return token === undefined ? undefined : checkIns.userOf(token);
      },
    };
  },
});

export type CheckIn = ServicesOf<typeof checkIn>;
