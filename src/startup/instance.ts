import type { Logger } from 'pino';
import { model } from '../../mikro-orm.config.js';
import type { Passwords } from '../accounts/passwords.js';
import type { Clock } from '../clock.js';
import type { Config } from '../config.js';
import { DataDirectory } from '../data-directory.js';
import type { Database } from '../database/database.js';
import { type Hooks, openEmbedded } from '../database/embedded/open.js';
import { openServer, unhurried } from '../database/server/open.js';
import type { TrustedDocuments } from '../graphql/trusted-documents.js';

/** What an instance of the service stands on. */
export interface Instance {
  config: Config;
  secret: string;
  clock: Clock;
  database: Database;
  passwords: Passwords;
  /** The only GraphQL documents that are carried out; without them, any is. */
  trustedDocuments: TrustedDocuments | undefined;
  log: Logger;
  /** False once the service is on its way down. */
  isServing: () => boolean;
}

interface OpenOptions extends Hooks {
  isForCommand?: boolean;
  onWaiting?: (error: unknown) => void;
}

/** Commands take their time where requests are given up. */
export const openDatabase = (
  { databaseUrl, databasePoolSize, databaseStartTimeout, times, dataDir }: Config,
  { isForCommand = false, onWaiting = (_error: unknown) => {}, ...hooks }: OpenOptions = {},
): Promise<Database> =>
  databaseUrl
    ? openServer(model, {
        url: databaseUrl,
        poolSize: databasePoolSize,
        patience: isForCommand ? unhurried : times.patience,
        startLimit: databaseStartTimeout,
        onWaiting,
      })
    : openEmbedded(model, new DataDirectory(dataDir), hooks);

/** Production always names one; see `config.ts`. */
export function secretOf(
  { jwtSecret, databaseUrl, dataDir }: Config,
  onWarning = (_line: string) => {},
): string {
  if (jwtSecret) return jwtSecret;
  const directory = new DataDirectory(dataDir);
  const secret = directory.secret();
  const warning = databaseUrl ? directory.makePrivate() : undefined; // else it was done with the database
  if (warning) onWarning(warning);
  return secret;
}
