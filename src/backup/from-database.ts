import { existsSync } from 'node:fs';
import { model } from '../../mikro-orm.config.js';
import type { Config } from '../config.js';
import type { Database } from '../database/database.js';
import { DirectoryInUseError } from '../database/embedded/lock.js';
import { openCopy } from '../database/embedded/open.js';
import { DataDirectory } from '../files/data-directory.js';
import { type OpenOptions, openDatabase } from '../startup/instance.js';
import { withCopyFromService } from './copy-request.js';
import { BackupError, type Contents } from './format.js';
import { readSnapshot } from './snapshot.js';

interface SourceOptions extends OpenOptions {
  /** Whether an embedded database is read while a service has it open; what is written later is not in it. */
  mayBeInUse: boolean;
  /** Whether the server rests between parts: beside a service, whose users come first. */
  rests?: boolean;
}

/** Reads the configured database as it is at one moment, and migrates nothing. */
export async function fromDatabase<T>(
  config: Config,
  { mayBeInUse, rests, ...options }: SourceOptions,
  work: (contents: Contents) => Promise<T>,
): Promise<T> {
  const open = () => openDatabase(config, { ...options, migrates: false });
  if (config.databaseUrl) return reading(await open(), work, rests);
  const directory = new DataDirectory(config.dataDir);
  if (!existsSync(directory.file('postgres'))) {
    throw new BackupError(`There is no database in DATA_DIR ${directory.path}.`);
  }
  const database = await open().catch((error: unknown) => {
    if (!mayBeInUse || !(error instanceof DirectoryInUseError)) throw error;
  });
  if (database) return reading(database, work, rests);
  return withCopyFromService(directory, (folder) => fromCopy(folder, work, rests));
}

const reading = <T>(
  database: Database,
  work: (contents: Contents) => Promise<T>,
  rests?: boolean,
): Promise<T> => readSnapshot(database, work, rests).finally(() => database.close());

/** Reads a copy that `Database.copyTo` has made of an original that is whole, since it is being served. */
export async function fromCopy<T>(
  folder: string,
  work: (contents: Contents) => Promise<T>,
  rests?: boolean,
): Promise<T> {
  const database = await openCopy(model, folder).catch((error: Error) => {
    throw new BackupError(
      `A copy of the database was made, but cannot be opened. Is the disk full? (${error.message})`,
    );
  });
  return reading(database, work, rests);
}
