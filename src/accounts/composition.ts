import type { Clock } from '../clock.js';
import type { Config } from '../config.js';
import type { Database } from '../database/database.js';
import { AccountResolver, SessionResolver } from './account.resolver.js';
import { AccountService, type RecountWeeks } from './account.service.js';
import { ApiTokenResolver } from './api-token.resolver.js';
import { ApiTokenService } from './api-token.service.js';
import { ApiTokens } from './api-tokens.js';
import { Callers } from './callers.js';
import { deletionTime, type Remember, type Tombstone } from './deletion.js';
import { LoginLimit } from './login-limit.js';
import type { Passwords } from './passwords.js';
import { Revocations } from './revocations.js';
import { SessionService } from './session.service.js';
import { SignOutResolver } from './sign-out.resolver.js';
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
  const gone = async (tombstone: Tombstone) => {
    revocations.noteGone(tombstone.id, tombstone.deletedAt);
    await remember?.(tombstone);
  };
  const deletion = { remember: gone, time: deletionTime(databaseTime) };
  const accounts = new AccountService(
    database,
    clock,
    passwords,
    tokens,
    limit,
    recountWeeks,
    config.signUp,
    deletion,
  );
  const sessions = new SessionService(accounts, tokens, revocations);
  const apiTokens = new ApiTokenService(database, clock, accounts, revocations);
  return { revocations, callers, accounts, sessions, apiTokens };
}

export const accountResolversOn = ({
  accounts,
  sessions,
  apiTokens,
}: ReturnType<typeof accountServicesOn>) => [
  new SessionResolver(accounts),
  new AccountResolver(accounts),
  new SignOutResolver(sessions),
  new ApiTokenResolver(apiTokens),
];
