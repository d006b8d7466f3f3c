import { existsSync } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import path from 'node:path';

export const MEGABYTE = 2 ** 20;

/** The folder itself, or the nearest one above it that is there. */
function placeOf(folder: string): string {
  let place = path.resolve(folder);
  while (!existsSync(place)) place = path.dirname(place);
  return place;
}

export async function roomAt(folder: string): Promise<number> {
  const { bavail, bsize, blocks } = await statfs(placeOf(folder));
  return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize; // some file systems report no sizes
}

export const diskOf = async (folder: string): Promise<number> => (await stat(placeOf(folder))).dev;

export const inMegabytes = (bytes: number): string =>
  Number.isFinite(bytes) ? `${Math.floor(bytes / MEGABYTE).toLocaleString('en')} MB` : 'room of unknown size';
