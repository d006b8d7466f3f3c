import type { Logger } from 'pino';
import { model } from '../../mikro-orm.config.js';
import type { Remember } from '../accounts/deletion.js';
import type { Passwords } from '../accounts/passwords.js';
import type { Clock } from '../clock.js';
import type { Config } from '../config.js';
import type { Database } from '../database/database.js';
import { type EmbeddedOptions, openEmbedded } from '../database/embedded/open.js';
import { openServer, unhurried } from '../database/server/open.js';
import { DataDirectory } from '../files/data-directory.js';
import type { TrustedDocuments } from '../graphql/trusted-documents.js';
import type { Metrics } from '../telemetry/metrics.js';
import { secretMadeIn } from './secrets.js';

/** The dependencies of one instance of the service. */
export interface Instance {
  config: Config;
  secret: string;
  clock: Clock;
  database: Database;
  passwords: Passwords;
  /** If set, only these GraphQL documents are executed. */
  trustedDocuments: TrustedDocuments | undefined;
  /** Keeps the tombstone of a deleted account beside the backups; undefined where there are none. */
  remember?: Remember | undefined;
  /** Undefined where none are wanted. */
  metrics?: Metrics | undefined;
  log: Logger;
  /** What a health check tells of the service's own backups; undefined without any. */
  backupHealth?: (() => object) | undefined;
  /** False once the service is shutting down. */
  isServing: () => boolean;
}

export interface OpenOptions extends EmbeddedOptions {
  isForCommand?: boolean;
  onWaiting?: (error: unknown) => void;
  /** Called when announcements are heard no more, or again. */
  onListening?: (line: string, isHeard: boolean) => void;
}

/** Commands have no timeouts, unlike requests, and need no pooler. */
export const openDatabase = (
  {
    databaseUrl,
    databaseDirectUrl = databaseUrl,
    databasePoolSize,
    databaseStartTimeout,
    timeouts,
    dataDir,
    embeddedFsync,
  }: Config,
  { isForCommand = false, onWaiting = (_error: unknown) => {}, onListening, ...hooks }: OpenOptions = {},
): Promise<Database> =>
  databaseUrl
    ? openServer(model, {
        url: (isForCommand && databaseDirectUrl) || databaseUrl,
        directUrl: databaseDirectUrl,
        requestsUrl: databaseUrl,
        poolSize: databasePoolSize,
        patience: isForCommand ? unhurried : timeouts.patience,
        startLimit: databaseStartTimeout,
        migrates: hooks.migrates,
        onWaiting,
        onListening,
      })
    : openEmbedded(model, new DataDirectory(dataDir), { ...hooks, fsync: embeddedFsync });

/** In production `readConfig` requires a secret. */
export function secretOf(
  { jwtSecret, jwtSecretFile, databaseUrl, dataDir }: Config,
  onWarning = (_line: string) => {},
): string {
  if (jwtSecret) return jwtSecret;
  if (jwtSecretFile) return secretMadeIn(jwtSecretFile);
  const directory = new DataDirectory(dataDir);
  const secret = directory.secret();
  const warning = databaseUrl ? directory.makePrivate() : undefined; // opening the embedded database has done it already
  if (warning) onWarning(warning);
  return secret;
}
