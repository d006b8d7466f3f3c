import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { syncDirectory, syncFile } from './fsync.js';

/**
 * Atomic: writes a draft that only this account may read and publishes it, so that no other process ever reads half a
 * file.
 */
export function writeWhole(
  file: string,
  text: string,
  publish: (draft: string, file: string) => void = linkIfMissing,
): void {
  const draft = `${file}.${randomUUID()}`; // in containers that share a folder every process has the same number
  try {
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx' });
    syncFile(draft); // first, else a loss of power may leave an empty file under the name
    publish(draft, file);
    syncDirectory(path.dirname(file));
  } finally {
    rmSync(draft, { force: true });
  }
}

/** What is in the file. Of several processes at once, the first one makes it, and all read the same. */
export function madeOnce(file: string, make: () => string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    writeWhole(file, make());
    return readFileSync(file, 'utf8');
  }
}

/** A link, unlike a rename, fails if another process was first. */
function linkIfMissing(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
