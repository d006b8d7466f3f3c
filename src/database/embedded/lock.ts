import { accessSync, constants, existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
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

/**
 * Creates a new database as a draft and renames it when it is complete: a killed process then leaves nothing that
 * looks like a database.
 */
export async function createIfMissing(
  folder: string,
  create: (draft: string) => Promise<void>,
): Promise<void> {
  if (existsSync(folder)) {
    requireSameVersion(folder);
    return;
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

/** The major version of PGlite's PostgreSQL, which opens no files of any other. */
export const POSTGRES = '18';

/** Without its file PG_VERSION, PGlite would create a new database over the data. */
export function requireSameVersion(folder: string): void {
  const file = path.join(folder, 'PG_VERSION');
  if (!existsSync(file)) throw new DataDirectoryError(unusable(folder, 'it has no PG_VERSION'));
  const version = readFileSync(file, 'utf8').trim();
  if (version === POSTGRES) return;
  throw new DataDirectoryError(
    `The database in ${folder} was made by PostgreSQL ${version}, and this Steady has PostgreSQL ${POSTGRES}, which cannot open it. Make a backup with the Steady that made it, and restore that with this one into an empty DATA_DIR.`,
  );
}

/** The path of the folder as PGlite sees it. */
const MOUNTED_AT = '/pglite/data';

export const unusable = (folder: string, reason: string) =>
  `The database in ${folder} cannot be opened: ${reason.replaceAll(MOUNTED_AT, folder)}. Restore it from a backup, or move it away.`;
