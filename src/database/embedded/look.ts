import { constants, lstatSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type DataDirectory, DataDirectoryError } from '../../files/data-directory.js';
import type { Database } from '../database.js';
import type { Model } from '../model.js';
import { requireRoomForCopy } from './disk-room.js';
import { inUse, requireUnused } from './lock.js';
import { openCopy } from './open.js';

/** A copy of a database that nobody has open. */
export interface CopyToLookAt {
  database: Database;
  close: () => Promise<void>;
}

/** How often a copy is made anew because somebody has had the database open meanwhile. */
const ATTEMPTS = 3;

/**
 * Opens a copy in the directory for temporary files, since opening the original would write to it. Rejects with a
 * `DirectoryInUseError` while another process has it open, and before anything is copied where there is no room.
 */
export async function lookAtEmbedded(model: Model, directory: DataDirectory): Promise<CopyToLookAt> {
  const original = directory.file('postgres');
  await requireUnused(directory);
  const place = await mkdtemp(path.join(tmpdir(), 'steady-look-'));
  const discard = () => rm(place, { recursive: true, force: true });
  try {
    await requireRoomForCopy(original, place);
    const copy = path.join(place, 'postgres');
    await copyUntouched(directory, original, copy);
    const database = await openCopy(model, copy).catch((error: Error) => {
      throw new DataDirectoryError(error.message.replaceAll(copy, original), { cause: error });
    });
    return { database, close: () => database.close().finally(discard) };
  } catch (error) {
    await discard();
    throw error;
  }
}

/** Without the lock, for want of which a service that starts meanwhile would end: whether one did is seen afterwards. */
async function copyUntouched(directory: DataDirectory, original: string, copy: string): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const before = stateOf(original); // first: whoever opens it after the next line changes this
    await requireUnused(directory);
    const fault = await cp(original, copy, { recursive: true, mode: constants.COPYFILE_FICLONE }).catch(
      (error: Error) => error,
    );
    await requireUnused(directory);
    if (stateOf(original) !== before) {
      await rm(copy, { recursive: true, force: true });
      continue;
    }
    if (fault) throw fault;
    return;
  }
  throw inUse(directory);
}

/** Opening a database writes its control file, and so does closing it. */
function stateOf(folder: string): string {
  const files = [folder, path.join(folder, 'global', 'pg_control')];
  const found = files.map((file) => lstatSync(file, { bigint: true, throwIfNoEntry: false }));
  const [place, control] = found;
  return [place?.ino, control?.ino, control?.size, control?.mtimeNs].join();
}
