import type { Logger } from 'pino';
import { model } from '../../../mikro-orm.config.js';
import type { Clock } from '../../base/clock.js';
import type { Config } from '../../base/config.js';
import { DataDirectory, DataDirectoryError } from '../../base/files/data-directory.js';
import type { Passwords } from '../../base/passwords/passwords.js';
import type { Database } from '../../database/database.js';
import { requireDatabase } from '../../database/embedded/cluster.js';
import {
  type EmbeddedOptions,
  joinEmbedded,
  startEmbedded,
  startOrJoinEmbedded,
} from '../../database/embedded/open.js';
import { isTooLate, ServerError } from '../../database/outcome.js';
import { openServer, unhurried } from '../../database/server/open.js';
import type { Remember } from '../../features/account/deletion.js';
import type { Metrics } from '../../telemetry/metrics.js';
import { secretMadeIn } from './secrets.js';
import { late, WHEN_LATE } from './start-errors.js';

/** The dependencies of one instance of the service. */
export interface Instance {
  config: Config;
  secret: string;
  clock: Clock;
  database: Database;
  passwords: Passwords;
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

/** Who may have the embedded database open: this process alone, another one too, or another one for it. */
const WAYS = {
  alone: startEmbedded,
  shared: startOrJoinEmbedded,
  joined: (directory: DataDirectory) => joinEmbedded(directory),
};

export interface OpenOptions extends Omit<EmbeddedOptions, 'connections'> {
  isForCommand?: boolean;
  /** In which way an embedded database is opened; alone by default. */
  embedded?: keyof typeof WAYS;
  /** Whether missing migrations are applied; true by default. */
  migrates?: boolean;
  /** False for what only looks at a database: a folder that was mistyped must not be told to be in order. */
  creates?: boolean;
  onWaiting?: (error: unknown) => void;
  /** Called when announcements are heard no more, or again. */
  onListening?: (line: string, isHeard: boolean) => void;
  /** Called when the disk of the database is full, or has room again. */
  onRoom?: (line: string, hasRoom: boolean) => void;
}

/** Connections of a process beside its pool, and of commands beside a service. */
const OWN_OF_PROCESS = 8;
const OF_COMMANDS = 20;
const FEWEST_CONNECTIONS = 60;

/** What the embedded database needs for the processes of a service with these settings. */
export const embeddedOptions = (
  { databasePoolSize, workers }: Config,
  hooks: Pick<OpenOptions, 'onWarning' | 'onMaking' | 'onEnd'> = {},
): EmbeddedOptions => ({
  ...hooks,
  connections: Math.max(FEWEST_CONNECTIONS, databasePoolSize + OWN_OF_PROCESS * workers + OF_COMMANDS),
});

/** Commands have no timeouts, unlike requests, and need no pooler. */
export async function openDatabase(config: Config, options: OpenOptions = {}): Promise<Database> {
  const { databaseUrl, databaseDirectUrl = databaseUrl, databasePoolSize, timeouts } = config;
  const { isForCommand = false, embedded: way = 'alone', migrates, onWaiting, onListening, onRoom } = options;
  const settings = {
    poolSize: databasePoolSize,
    patience: isForCommand ? unhurried : timeouts.patience,
    migrates,
    onListening,
    onRoom,
    ...(onWaiting && { onWaiting }),
  };
  if (databaseUrl)
    return openServer(model, {
      ...settings,
      url: (isForCommand && databaseDirectUrl) || databaseUrl,
      directUrl: databaseDirectUrl,
      directSetting: databaseDirectUrl === databaseUrl ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL',
      startLimitMs: config.databaseStartTimeout,
    });
  const directory = new DataDirectory(config.dataDir);
  if (options.creates === false) requireDatabase(directory);
  const embedded = await WAYS[way](directory, {
    ...embeddedOptions(config, options),
    takesOver: !isForCommand,
  });
  return openServer(model, {
    ...settings,
    url: embedded.address,
    description: `the embedded database in ${directory.path}`,
    afterClose: embedded.stop,
  }).catch(async (error: unknown) => {
    await embedded.stop();
    throw error instanceof ServerError ? unusableDatabase(directory, error) : error;
  });
}

function unusableDatabase({ path }: DataDirectory, error: ServerError): DataDirectoryError {
  const { message, cause } = error;
  const said = isTooLate(error) ? `${late(message)}. ${WHEN_LATE}` : `cannot be used: ${message}.`;
  return new DataDirectoryError(`The embedded database in DATA_DIR ${path} ${said}`, { cause });
}

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
