import type { Clock } from '../clock.js';
import type { Config } from '../config.js';
import type { Database } from '../database/database.js';
import { AccountResolver, SessionResolver } from './account.resolver.js';
import { AccountService, type RecountWeeks } from './account.service.js';
import { ApiTokenResolver } from './api-token.resolver.js';
import { ApiTokenService } from './api-token.service.js';
import { ApiTokens } from './api-tokens.js';
import { Callers } from './callers.js';
import { deletionTime, type Remember } from './deletion.js';
import { LoginLimit } from './login-limit.js';
import type { Passwords } from './passwords.js';
import { Revocations } from './revocations.js';
import { Tokens } from './tokens.js';

interface Foundation {
  config: Config;
  database: Database;
  clock: Clock;
  passwords: Passwords;
  secret: string;
  remember?: Remember | undefined;
}

export function accountServicesOn(
  { config, database, clock, passwords, secret, remember }: Foundation,
  recountWeeks: RecountWeeks,
) {
  const tokens = new Tokens(secret, clock);
  const revocations = new Revocations(database, clock);
  const { databaseTime } = config.timeouts;
  const known = new ApiTokens(database, clock, databaseTime);
  const callers = new Callers(tokens, known, revocations, databaseTime);
  const limit = new LoginLimit(database, clock, config);
  const accounts = new AccountService(database, clock, passwords, tokens, revocations, limit, {
    signUp: config.signUp,
    deletionTime: deletionTime(databaseTime),
    remember,
    recountWeeks,
  });
  const apiTokens = new ApiTokenService(database, clock, accounts, revocations);
  return { revocations, callers, accounts, apiTokens };
}

export const accountResolversOn = ({ accounts, apiTokens }: ReturnType<typeof accountServicesOn>) => [
  new SessionResolver(accounts),
  new AccountResolver(accounts),
  new ApiTokenResolver(apiTokens),
];
