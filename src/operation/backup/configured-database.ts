import { systemClock } from '../../base/clock.js';
import type { Config } from '../../base/config.js';
import { DataDirectory } from '../../base/files/data-directory.js';
import { hasDatabase } from '../../database/embedded/cluster.js';
import { type OpenOptions, openDatabase } from '../startup/instance.js';
import { BackupError, type Contents } from './format.js';
import { type LoadOptions, load, type Restored } from './load.js';
import { readSnapshot } from './snapshot.js';

interface SourceOptions extends OpenOptions {
  /** Whether the server rests between parts: beside a service, whose users come first. */
  rests?: boolean;
}

/** Reads the configured database as it is at one moment, and migrates nothing. */
export async function fromDatabase<T>(
  config: Config,
  { rests, ...options }: SourceOptions,
  work: (contents: Contents) => Promise<T>,
): Promise<T> {
  if (!config.databaseUrl) requireDatabase(new DataDirectory(config.dataDir));
  const database = await openDatabase(config, { ...options, migrates: false });
  return readSnapshot(database, work, rests).finally(() => database.close());
}

/** Opening it would make a new one. */
function requireDatabase(directory: DataDirectory): void {
  if (hasDatabase(directory)) return;
  throw new BackupError(`There is no database in DATA_DIR ${directory.path}.`);
}

/** Brings the contents into the configured database, which must be empty. */
export async function intoDatabase(
  config: Config,
  contents: Contents,
  options: OpenOptions,
  more: Pick<LoadOptions, 'tombstones' | 'holdsReminders'> = {},
): Promise<Restored> {
  const database = await openDatabase(config, { ...options, migrates: false });
  return load(database, contents, { clock: systemClock, ...more }).finally(() => database.close());
}
