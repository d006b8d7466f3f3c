import { existsSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { type DataDirectory, DataDirectoryError } from '../data-directory.js';

/** The files of the embedded database inside the data directory, held by this process alone. */
export interface EmbeddedFiles {
  folder: string;
  release: () => void;
}

/**
 * PGlite itself locks nothing, and two writers lose data. An exclusive SQLite transaction is a lock
 * that the operating system frees with the process, however it ends.
 */
export async function holdAlone(directory: DataDirectory): Promise<EmbeddedFiles> {
  const { DatabaseSync } = await import('node:sqlite');
  const lock = new DatabaseSync(directory.file('lock'), { timeout: 0 });
  try {
    lock.exec('PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (!/locked/.test((error as Error).message)) throw error;
    throw new DataDirectoryError(
      `DATA_DIR ${directory.path} is in use by another Steady. Stop that one, or choose another directory.`,
    );
  }
  return { folder: directory.file('postgres'), release: () => lock.close() };
}

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
    throw new DataDirectoryError(
      `The database in ${folder} is damaged. Restore it from a backup, or move it away.`,
    );
  }
  const draft = `${folder}.new`;
  rmSync(draft, { recursive: true, force: true });
  await create(draft);
  renameSync(draft, folder);
}
