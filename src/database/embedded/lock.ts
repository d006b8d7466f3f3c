import { accessSync, constants, existsSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { type DataDirectory, DataDirectoryError } from '../../data-directory.js';

/** The lock of a data directory, held by this process alone. */
export interface Lock {
  release: () => void;
  /** Releases it and leaves no trace of it. */
  withdraw: () => void;
}

/**
 * PGlite itself locks nothing, and two writers lose data. An exclusive SQLite transaction is a lock
 * that the operating system frees with the process, however it ends.
 */
export async function lockExclusively(directory: DataDirectory): Promise<Lock> {
  const { DatabaseSync } = await import('node:sqlite');
  const file = directory.file('lock');
  return directory.attempt(() => {
    const isNew = !existsSync(file);
    accessSync(isNew ? directory.path : file, constants.W_OK); // SQLite would open it for reading
    const lock = new DatabaseSync(file, { timeout: 0 });
    const release = () => lock.close();
    try {
      lock.exec('PRAGMA journal_mode=MEMORY; BEGIN EXCLUSIVE');
    } catch (error) {
      release();
      throw /locked/.test((error as Error).message) ? inUse(directory) : error;
    }
    const withdraw = () => {
      release();
      if (isNew) rmSync(file);
    };
    return { release, withdraw };
  });
}

const inUse = ({ path }: DataDirectory) =>
  new DataDirectoryError(
    `DATA_DIR ${path} is in use by another Steady. Stop that one, or choose another directory.`,
  );

/**
 * A new database is made beside its final place and moved there when it is whole, so that a
 * process killed meanwhile leaves nothing that looks like one.
 */
export async function createIfMissing(
  folder: string,
  create: (draft: string) => Promise<void>,
): Promise<void> {
  if (existsSync(folder)) {
    // Without this file PGlite would start afresh, over the data.
    if (existsSync(path.join(folder, 'PG_VERSION'))) return;
    throw new DataDirectoryError(unusable(folder, 'it has no PG_VERSION'));
  }
  const draft = `${folder}.new`;
  const discard = () => rmSync(draft, { recursive: true, force: true });
  discard();
  await create(draft).catch((error: unknown) => {
    discard();
    throw error;
  });
  renameSync(draft, folder);
}

/** Where PGlite believes its files to be. */
const MOUNTED_AT = '/pglite/data';

export const unusable = (folder: string, reason: string) =>
  `The database in ${folder} cannot be opened: ${reason.replaceAll(MOUNTED_AT, folder)}. Restore it from a backup, or move it away.`;
