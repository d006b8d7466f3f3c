import type { Clock } from '../clock.js';
import type { Config } from '../config.js';
import type { Database } from '../database/database.js';
import { AccountResolver, SessionResolver } from './account.resolver.js';
import { AccountService } from './account.service.js';
import { Callers } from './callers.js';
import type { Remember, Tombstone } from './deletion.js';
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

export function accountServicesOn({ config, database, clock, passwords, secret, remember }: Foundation) {
  const tokens = new Tokens(secret, clock);
  const revocations = new Revocations(database, clock);
  const callers = new Callers(tokens, revocations, config.timeouts.databaseTime);
  const limit = new LoginLimit(database, clock, config);
  const gone = async (tombstone: Tombstone) => {
    revocations.noteGone(tombstone.id, tombstone.deletedAt);
    await remember?.(tombstone);
  };
  const accounts = new AccountService(database, clock, passwords, tokens, limit, config.signUp, gone);
  const sessions = new SessionService(accounts, tokens, revocations);
  return { revocations, callers, accounts, sessions };
}

export const accountResolversOn = ({ accounts, sessions }: ReturnType<typeof accountServicesOn>) => [
  new SessionResolver(accounts),
  new AccountResolver(accounts),
  new SignOutResolver(sessions),
];
