import { existsSync } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { TO_CREATE, TO_WRITE } from '../database/embedded/disk-room.js';
import { type Finding, ok, warning, wrong } from './finding.js';

const MEGABYTE = 2 ** 20;

/** In bytes: with less, the embedded database is soon read-only. */
const SCARCE = 200 * MEGABYTE;

/** The folder itself, or the nearest one above it that is there. */
export function placeOf(folder: string): string {
  let place = path.resolve(folder);
  while (!existsSync(place)) place = path.dirname(place);
  return place;
}

/** In bytes; infinite where the file system tells no sizes. */
export async function roomAt(folder: string): Promise<number> {
  const { bavail, bsize, blocks } = await statfs(placeOf(folder));
  return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
}

export const isOnOneDisk = async (one: string, other: string): Promise<boolean> =>
  (await stat(placeOf(one))).dev === (await stat(placeOf(other))).dev;

export const inMegabytes = (bytes: number): string =>
  Number.isFinite(bytes) ? `${Math.floor(bytes / MEGABYTE).toLocaleString('en')} MB` : 'room of unknown size';

/** Of the disk below an embedded database, which is read-only when that is nearly full. */
export async function dataDiskFinding(folder: string, hasDatabase: boolean): Promise<Finding> {
  const about = 'disk of DATA_DIR';
  const room = await roomAt(folder);
  const free = `${inMegabytes(room)} are free`;
  const least = hasDatabase ? TO_WRITE : TO_CREATE;
  const mend = 'Make room on the disk, or move DATA_DIR to a larger one while the service is stopped.';
  if (room < least) {
    const what = hasDatabase ? 'it writes nothing' : 'a new embedded database cannot be made';
    return wrong(about, `${free}: below ${inMegabytes(least)} ${what}`, mend);
  }
  if (room < SCARCE) {
    return warning(about, `${free}: below ${inMegabytes(TO_WRITE)} the database is read-only`, mend);
  }
  return ok(about, free);
}
