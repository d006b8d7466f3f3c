import { constants, existsSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type DataDirectory, DataDirectoryError } from '../../data-directory.js';
import type { Database } from '../database.js';
import type { Model } from '../model.js';
import { requireRoomForCopy } from './disk-room.js';
import { lockExclusively } from './lock.js';
import { openCopy } from './open.js';

/** A copy of a database that nobody has open. */
export interface CopyToLookAt {
  database: Database;
  close: () => Promise<void>;
}

/**
 * Opens a copy in the directory for temporary files, since opening the original would write to it. Rejects with a
 * `DirectoryInUseError` while another process has it open, and before anything is copied where there is no room.
 */
export async function lookAtEmbedded(model: Model, directory: DataDirectory): Promise<CopyToLookAt> {
  const original = directory.file('postgres');
  const lock = existsSync(directory.file('lock')) ? await lockExclusively(directory) : undefined;
  const place = await mkdtemp(path.join(tmpdir(), 'steady-look-'));
  const discard = () => rm(place, { recursive: true, force: true });
  try {
    await requireRoomForCopy(original, place);
    const copy = path.join(place, 'postgres');
    await cp(original, copy, { recursive: true, mode: constants.COPYFILE_FICLONE });
    const database = await openCopy(model, copy).catch((error: Error) => {
      throw new DataDirectoryError(error.message.replaceAll(copy, original), { cause: error });
    });
    return { database, close: () => database.close().finally(discard) };
  } catch (error) {
    await discard();
    throw error;
  } finally {
    lock?.release();
  }
}
