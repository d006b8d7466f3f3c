import { existsSync } from 'node:fs';
import { readdir, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { type DataDirectory, DataDirectoryError } from '../../files/data-directory.js';
import type { Beside } from '../backend.js';

const MEGABYTE = 2 ** 20;

/** In bytes: the minimum free space on the disk. A new database takes 100 MB, and opening one replays its log. */
export const TO_CREATE = 192 * MEGABYTE;
const TO_OPEN = 32 * MEGABYTE;
export const TO_WRITE = 64 * MEGABYTE;
/** Higher than TO_WRITE (hysteresis), so that the mode does not flip back and forth. */
const TO_WRITE_AGAIN = 80 * MEGABYTE;

/** The folder itself, or the nearest one above it that is there. */
export function placeOf(folder: string): string {
  let place = path.resolve(folder);
  while (!existsSync(place)) place = path.dirname(place);
  return place;
}

/** Checked first: running out of space halfway would leave changed files behind. */
export async function requireRoom(directory: DataDirectory): Promise<void> {
  const needed = existsSync(directory.file('postgres')) ? TO_OPEN : TO_CREATE;
  const room = await roomOn(placeOf(directory.path));
  if (room >= needed) return;
  const [left, least] = [room, needed].map((bytes) => Math.floor(bytes / MEGABYTE));
  throw new DataDirectoryError(
    `The disk of DATA_DIR ${directory.path} is full: ${left} MB are left, and the embedded database needs ${least} MB.`,
  );
}

/** The files of a database are at least so many times as large as its first backup, which is compressed. */
const COMPRESSION = 4;

/** A copy that fills the disk, or what is made of it there, would make the database read-only. */
export async function requireRoomForCopy(folder: string, place: string, beside?: Beside): Promise<void> {
  const size = await sizeOf(folder);
  const isOnDisk = beside && (await deviceOf(beside.folder)) === (await deviceOf(place));
  const least = size + (isOnDisk ? (beside.bytes ?? size / COMPRESSION) : 0) + TO_WRITE_AGAIN;
  const room = await roomOn(place);
  if (room >= least) return;
  const [left, needed] = [room, least].map((bytes) => Math.floor(bytes / MEGABYTE));
  throw new DataDirectoryError(
    `There is no room for a copy of the database in ${place}: ${left} MB are left, and it needs ${needed} MB.`,
  );
}

const deviceOf = (place: string): Promise<number | undefined> =>
  stat(place).then(
    ({ dev }) => dev,
    () => undefined,
  );

async function sizeOf(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true });
  const sizes = names.map(async (name) => {
    const { size } = await stat(path.join(folder, name)).catch(() => ({ size: 0 })); // of a file that has just been removed
    return size;
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

export const hasRoomToWrite = async (place: string, hadRoom: boolean): Promise<boolean> =>
  (await roomOn(place)) >= (hadRoom ? TO_WRITE : TO_WRITE_AGAIN);

/** In bytes. */
export async function roomOn(place: string): Promise<number> {
  const { bavail, bsize, blocks } = await statfs(place);
  return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize; // some file systems report no sizes
}
