import { existsSync } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { type Finding, ok, warning, wrong } from './finding.js';

const MEGABYTE = 2 ** 20;

/** What a new database and its first hour take. */
const LEAST_BYTES = 100 * MEGABYTE;
const SCARCE_BYTES = 300 * MEGABYTE;

/** The folder itself, or the nearest one above it that is there. */
function placeOf(folder: string): string {
  let place = path.resolve(folder);
  while (!existsSync(place)) place = path.dirname(place);
  return place;
}

async function roomOn(place: string): Promise<number> {
  const { bavail, bsize, blocks } = await statfs(place);
  return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize; // some file systems report no sizes
}

/** In bytes: of the disk on which it is, or would be. */
export const roomAt = (folder: string): Promise<number> => roomOn(placeOf(folder));

export const isOnOneDisk = async (one: string, other: string): Promise<boolean> =>
  (await stat(placeOf(one))).dev === (await stat(placeOf(other))).dev;

export const inMegabytes = (bytes: number): string =>
  Number.isFinite(bytes) ? `${Math.floor(bytes / MEGABYTE).toLocaleString('en')} MB` : 'room of unknown size';

/** Of the disk below an embedded database. */
export async function dataDiskFinding(folder: string): Promise<Finding> {
  const about = 'disk of DATA_DIR';
  const room = await roomAt(folder);
  const free = `${inMegabytes(room)} are free`;
  const fix = 'Make room on the disk, or move DATA_DIR to a larger one while the service is stopped.';
  if (room < LEAST_BYTES) return wrong(about, `${free}: nothing can be written once there is none`, fix);
  return room < SCARCE_BYTES ? warning(about, free, fix) : ok(about, free);
}
