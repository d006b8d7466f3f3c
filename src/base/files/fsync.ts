import { closeSync, fsyncSync, openSync } from 'node:fs';

/** The answers of systems that cannot sync: Windows for a directory, some network file systems for anything. */
const CANNOT_SYNC = /^(EACCES|EBADF|EINVAL|EISDIR|ENOSYS|ENOTSUP|EOPNOTSUPP|EPERM)$/;

/** Returns when the content of the file is on the disk. */
export const syncFile = (file: string): void => ignoreIfImpossible(() => sync(file, 'r+')); // Windows syncs no file that is open for reading

/** Returns when the names in the directory are on the disk. */
export const syncDirectory = (directory: string): void => ignoreIfImpossible(() => sync(directory, 'r'));

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
