import { existsSync } from 'node:fs';
import { model } from '../../mikro-orm.config.js';
import type { Config } from '../config.js';
import type { Database } from '../database/database.js';
import { DirectoryInUseError } from '../database/embedded/lock.js';
import { openCopy } from '../database/embedded/open.js';
import { DataDirectory } from '../files/data-directory.js';
import { type OpenOptions, openDatabase } from '../startup/instance.js';
import { copyFromService } from './copy-request.js';
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
  options: SourceOptions,
  work: (contents: Contents) => Promise<T>,
): Promise<T> {
  const { database, discard } = await openSource(config, options);
  try {
    return await readSnapshot(database, work, options.rests).finally(() => database.close());
  } finally {
    await discard();
  }
}

/** Reads a copy that `Database.copyTo` has made. */
export async function fromCopy<T>(folder: string, work: (contents: Contents) => Promise<T>): Promise<T> {
  const database = await openedCopy(folder);
  return readSnapshot(database, work).finally(() => database.close());
}

interface Source {
  database: Database;
  discard: () => Promise<void>;
}

async function openSource(
  config: Config,
  { mayBeInUse, rests: _, ...options }: SourceOptions,
): Promise<Source> {
  const open = () => openDatabase(config, { ...options, migrates: false });
  const discard = async () => {};
  if (config.databaseUrl) return { database: await open(), discard };
  const directory = new DataDirectory(config.dataDir);
  if (!existsSync(directory.file('postgres'))) {
    throw new BackupError(`There is no database in DATA_DIR ${directory.path}.`);
  }
  try {
    return { database: await open(), discard };
  } catch (error) {
    if (!mayBeInUse || !(error instanceof DirectoryInUseError)) throw error;
  }
  const copy = await copyFromService(directory);
  try {
    return { database: await openedCopy(copy.folder), discard: copy.discard };
  } catch (error) {
    await copy.discard();
    throw error;
  }
}

/** The original is whole: it is being served. */
const openedCopy = (folder: string): Promise<Database> =>
  openCopy(model, folder).catch((error: Error) => {
    throw new BackupError(
      `A copy of the database was made, but cannot be opened. Is the disk full? (${error.message})`,
    );
  });
