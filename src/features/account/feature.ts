import { ok } from '../../base/finding.js';
import { feature, type ServicesOf } from '../../feature.js';
import type { AccountEvents } from './account.events.js';
import { AccountResolver, SessionResolver } from './account.resolver.js';
import { accountRoutes } from './account.routes.js';
import { AccountService, type AccountSettings } from './account.service.js';
import { ApiToken } from './api-token.entity.js';
import { ApiTokenResolver } from './api-token.resolver.js';
import { ApiTokenService } from './api-token.service.js';
import { LoginAttempt } from './attempt.entity.js';
import { Callers } from './callers.js';
import { carriedAccount } from './carried.js';
import { DeletedAccount } from './deleted-account.entity.js';
import { deletionTime } from './deletion.js';
import { LoginLimit } from './login-limit.js';
import { UserProgress } from './progress.entity.js';
import { accountReasons } from './reasons.js';
import { Restore } from './restore.entity.js';
import { Revocation } from './revocation.entity.js';
import { accountSettings } from './settings.js';
import { Tokens } from './tokens.js';
import { accountMetrics } from './topics.js';
import { User } from './user.entity.js';
import { Zones, zoneFindings } from './zones.js';

/** What later features and the process add. */
interface Hooks extends Pick<AccountSettings, 'remember' | 'hasFreshLogIn' | 'setFeed'> {
  events: AccountEvents | undefined;
}

export const account = feature({
  settings: accountSettings,
  reasons: accountReasons,
  entities: [User, UserProgress, DeletedAccount, LoginAttempt, Revocation, ApiToken, Restore],
  checks: [{ about: 'time zones', look: zoneFindings }],
  asks: [{ about: 'sign-up', look: ({ signUp }) => ok(`it is ${signUp}`) }],
  metrics: accountMetrics,
  carries: [carriedAccount],
  build({ config, database, clock, passwords, secret }, { events, ...hooks }: Hooks) {
    const { databaseTime } = config.timeouts;
    const timeToDelete = deletionTime(databaseTime);
    const tokens = new Tokens(secret, clock);
    const callers = new Callers(database, clock, tokens, databaseTime);
    const limit = new LoginLimit(database, clock, config);
    const zones = new Zones(database);
    const accounts = new AccountService(database, clock, passwords, tokens, callers, limit, {
      ...{ zones, signUp: config.signUp, deletionTime: timeToDelete, events, ...hooks },
    });
    const apiTokens = new ApiTokenService(database, clock, accounts, callers);
    return {
      services: { accounts, callers, limit, timeToDelete, zones },
      resolvers: [
        new SessionResolver(accounts),
        new AccountResolver(accounts),
        new ApiTokenResolver(apiTokens, accounts),
      ],
      routes: accountRoutes(accounts),
      begin: () => callers.begin(),
      stop: () => callers.stop(),
    };
  },
});

export type Account = ServicesOf<typeof account>;
