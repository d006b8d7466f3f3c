import { closeSync, fsyncSync, openSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** The answers of systems that cannot sync: Windows for a directory, some network file systems for anything. */
const CANNOT_SYNC = /^(EACCES|EBADF|EINVAL|EISDIR|ENOSYS|ENOTSUP|EOPNOTSUPP|EPERM)$/;

/** Returns when the content of the file is on the disk. */
export const syncFile = (file: string): void => ignoreIfImpossible(() => sync(file, 'r+')); // Windows syncs no file that is open for reading

/** Returns when the names in the directory are on the disk. */
export const syncDirectory = (directory: string): void => ignoreIfImpossible(() => sync(directory, 'r'));

/** Everything below a directory, and itself. */
export function syncTree(directory: string): void {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const place = path.join(directory, entry.name);
    if (entry.isDirectory()) syncTree(place);
    else syncFile(place);
  }
  syncDirectory(directory);
}

/** Why that file, or else its directory, cannot be synced; undefined where both can. */
export function obstacleToSync(file: string): { to: 'files' | 'directories'; reason: string } | undefined {
  const attempts = [
    ['files', () => sync(file, 'r+')],
    ['directories', () => sync(path.dirname(file), 'r')],
  ] as const;
  for (const [to, attempt] of attempts) {
    try {
      attempt();
    } catch (error) {
      if (!isImpossible(error)) throw error;
      return { to, reason: (error as Error).message };
    }
  }
  return undefined;
}

function sync(place: string, flags: 'r' | 'r+'): void {
  const descriptor = openSync(place, flags);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function ignoreIfImpossible(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!isImpossible(error)) throw error;
  }
}

const isImpossible = (error: unknown) => CANNOT_SYNC.test((error as NodeJS.ErrnoException).code ?? '');
