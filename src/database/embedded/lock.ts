import { accessSync, constants, existsSync, rmSync } from 'node:fs';
import { type DataDirectory, DataDirectoryError } from '../../data-directory.js';

/** Another process holds the lock. */
export class DirectoryInUseError extends DataDirectoryError {}

/** An exclusive lock on a data directory. */
export interface Lock {
  release: () => void;
  /** Releases the lock and removes its file if this process created it. */
  withdraw: () => void;
}

/**
 * PGlite has no lock of its own, and two writers lose data. An exclusive SQLite transaction is a lock that the
 * operating system frees when the process ends, however it ends.
 */
export async function lockExclusively(directory: DataDirectory): Promise<Lock> {
  const { DatabaseSync } = await import('node:sqlite');
  const file = directory.file('lock');
  return directory.attempt(() => {
    const isNew = !existsSync(file);
    accessSync(isNew ? directory.path : file, constants.W_OK); // without write access, SQLite would open it read-only
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
  new DirectoryInUseError(
    `DATA_DIR ${path} is in use by another Steady. Stop that one, or choose another directory.`,
  );
