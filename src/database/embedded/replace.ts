import { existsSync, renameSync, rmSync } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import path from 'node:path';
import type { DataDirectory } from '../../data-directory.js';
import { Database } from '../database.js';
import type { Model } from '../model.js';
import { requireRoom } from './disk-room.js';
import { lockExclusively, requireSameVersion } from './lock.js';
import { openEngine, openFolder } from './open.js';
import { preallocateLog } from './upkeep.js';

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
      const present = await openFolder(model, folder, { migrates: false });
      const database = new Database(present.orm, { ...present.backend, description });
      await requireEmpty(database).finally(() => database.close());
    }
    discard();
    const { orm, engine, backend } = await openEngine(model, draft);
    const result = await fill(new Database(orm, { ...backend, description }));
    await preallocateLog(engine);
    await orm.close(true);
    await syncAll(draft);
    await takePlace(draft, folder);
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
async function takePlace(draft: string, folder: string): Promise<void> {
  const former = `${folder}.empty`;
  rmSync(former, { recursive: true, force: true });
  if (existsSync(folder)) renameSync(folder, former);
  renameSync(draft, folder);
  await sync(path.dirname(folder));
  rmSync(former, { recursive: true, force: true });
}

/** PGlite itself need not have waited for the disk. */
async function syncAll(folder: string): Promise<void> {
  for (const name of await readdir(folder, { recursive: true })) await sync(path.join(folder, name));
  await sync(folder);
}

/** Some systems cannot sync a directory. */
async function sync(name: string): Promise<void> {
  const handle = await open(name, 'r');
  await handle.sync().catch(() => {});
  await handle.close();
}
