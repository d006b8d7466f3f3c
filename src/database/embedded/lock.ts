import { accessSync, constants, existsSync, rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type DataDirectory, DataDirectoryError } from '../../files/data-directory.js';

/** Another process holds the lock. */
export class DirectoryInUseError extends DataDirectoryError {}

/** An exclusive lock on a data directory. */
export interface Lock {
  release: () => void;
  /** Releases the lock and removes its file if this process created it. */
  withdraw: () => void;
}

/** In milliseconds: whoever only asks whether it is free has the lock for a moment. */
const PATIENCE = 500;
const PAUSE = 25;

/** Waits for a moment if another process has it. */
export async function lockExclusively(directory: DataDirectory): Promise<Lock> {
  const until = performance.now() + PATIENCE;
  for (;;) {
    try {
      return await lockAtOnce(directory);
    } catch (error) {
      if (!(error instanceof DirectoryInUseError) || performance.now() > until) throw error;
    }
    await delay(PAUSE);
  }
}

/** Rejects with a `DirectoryInUseError` if another process has it open. */
export async function requireUnused(directory: DataDirectory): Promise<void> {
  if (existsSync(directory.file('lock'))) (await lockAtOnce(directory)).release();
}

/**
 * PGlite has no lock of its own, and two writers lose data. An exclusive SQLite transaction is a lock that the
 * operating system frees when the process ends, however it ends.
 */
async function lockAtOnce(directory: DataDirectory): Promise<Lock> {
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

export const inUse = ({ path }: DataDirectory) =>
  new DirectoryInUseError(
    `DATA_DIR ${path} is in use by another Steady. Stop that one, or choose another directory.`,
  );
