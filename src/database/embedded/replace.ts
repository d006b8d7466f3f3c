import { existsSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { DataDirectory } from '../../files/data-directory.js';
import { syncDirectory, syncTree } from '../../files/fsync.js';
import { Database } from '../database.js';
import type { Model } from '../model.js';
import { createIfMissing, requireSameVersion } from './create.js';
import { requireRoom } from './disk-room.js';
import { lockExclusively } from './lock.js';
import { canSync, openEngine, openFolder } from './open.js';

interface Replacement<T> {
  /** Rejects if the present database must be kept. */
  requireEmpty: (present: Database) => Promise<void>;
  /** Fills a database that is new, and has no tables yet. */
  fill: (draft: Database) => Promise<T>;
}

/**
 * Puts a new database in the place of one that is empty, or of none. It is filled beside its place and renamed when
 * it is complete and on the disk: a killed process leaves the directory as empty as it was.
 */
export async function replaceEmbedded<T>(
  model: Model,
  directory: DataDirectory,
  { requireEmpty, fill }: Replacement<T>,
): Promise<T> {
  await requireRoom(directory);
  directory.claim();
  const lock = await lockExclusively(directory);
  const folder = directory.file('postgres');
  const description = `the embedded database in ${directory.path}`;
  const draft = `${folder}.restored`;
  const discard = () => rmSync(draft, { recursive: true, force: true });
  try {
    if (existsSync(folder)) {
      requireSameVersion(folder);
      const present = await openFolder(model, folder, { isDurable: canSync(directory), migrates: false });
      const database = new Database(present.orm, { ...present.backend, description });
      await requireEmpty(database).finally(() => database.close());
    }
    discard();
    await createIfMissing(draft, false);
    const { orm, backend } = await openEngine(model, draft);
    const result = await fill(new Database(orm, { ...backend, description }));
    await orm.close(true);
    syncTree(draft);
    takePlace(draft, folder);
    directory.makePrivate();
    lock.release();
    return result;
  } catch (error) {
    discard();
    lock.withdraw();
    throw error;
  }
}

/** Between the two renames there is no database, which is as empty as an empty one. */
function takePlace(draft: string, folder: string): void {
  const former = `${folder}.empty`;
  rmSync(former, { recursive: true, force: true });
  if (existsSync(folder)) renameSync(folder, former);
  renameSync(draft, folder);
  syncDirectory(path.dirname(folder));
  rmSync(former, { recursive: true, force: true });
}
