import { accessSync, constants, existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type DataDirectory, DataDirectoryError } from '../../base/files/data-directory.js';

/** Another process holds the lock. */
export class DirectoryInUseError extends DataDirectoryError {}

/** An exclusive lock on a data directory: whoever has it owns the database in it. */
export interface Lock {
  release: () => void;
  /** Releases the lock and removes its file if this process created it. */
  undo: () => void;
}

const PATIENCE_MS = 500;
const PAUSE_MS = 25;

/** Waits for a moment if another process has it. */
export async function lockExclusively(directory: DataDirectory): Promise<Lock> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await lockAtOnce(directory);
    } catch (error) {
      if (!(error instanceof DirectoryInUseError) || performance.now() > until) throw error;
    }
    await delay(PAUSE_MS);
  }
}

/**
 * PostgreSQL's own lock is the number of a process, which another one may have in the next container. An exclusive
 * SQLite transaction is a lock that the operating system frees when the process ends, however it ends.
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
    const undo = () => {
      release();
      if (isNew) rmSync(file);
    };
    return { release, undo };
  });
}

function inUse(directory: DataDirectory): DirectoryInUseError {
  const holder = holderOf(directory.file('lock'));
  return new DirectoryInUseError(
    `DATA_DIR ${directory.path} is open in another process${holder}, such as the service itself: the embedded database takes one service at a time. Stop that process, or choose another directory.`,
  );
}

/** Linux alone tells, and only of processes that this one can see. */
function holderOf(file: string): string {
  try {
    const held = new RegExp(` POSIX .* WRITE ([1-9]\\d*) \\S+:${statSync(file).ino} `);
    const [, pid] = held.exec(readFileSync('/proc/locks', 'utf8')) ?? [];
    return pid ? ` (${pid})` : '';
  } catch {
    return '';
  }
}
