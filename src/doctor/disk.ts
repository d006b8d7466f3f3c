import { stat } from 'node:fs/promises';
import { placeOf, roomOn, TO_CREATE, TO_WRITE } from '../database/embedded/disk-room.js';
import { type Finding, ok, warning, wrong } from './finding.js';

const MEGABYTE = 2 ** 20;

/** In bytes: with less, the embedded database is soon read-only. */
const SCARCE = 200 * MEGABYTE;

/** In bytes: of the disk on which it is, or would be. */
export const roomAt = (folder: string): Promise<number> => roomOn(placeOf(folder));

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
  const fix = 'Make room on the disk, or move DATA_DIR to a larger one while the service is stopped.';
  if (room < least) {
    const what = hasDatabase ? 'it writes nothing' : 'a new embedded database cannot be made';
    return wrong(about, `${free}: below ${inMegabytes(least)} ${what}`, fix);
  }
  if (room < SCARCE) {
    return warning(about, `${free}: below ${inMegabytes(TO_WRITE)} the database is read-only`, fix);
  }
  return ok(about, free);
}
