import { existsSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { type DataDirectory, newSecret } from '../../base/files/data-directory.js';
import { madeOnce } from '../../base/files/whole-file.js';

export const IS_WINDOWS = process.platform === 'win32';

const IS_LINUX = process.platform === 'linux';

/** Those of PostgreSQL. */
export interface Programs {
  folder: string;
  /** Where they look first for their libraries. */
  libraries: string | undefined;
}

/** PostgreSQL needs to know nothing of the service, least of all its secrets. Windows runs nothing with so little. */
export const environmentFor = ({ libraries }: Programs): NodeJS.ProcessEnv | undefined =>
  IS_WINDOWS
    ? undefined
    : {
        PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
        ...(libraries ? { LD_LIBRARY_PATH: libraries } : {}),
      };

/** Where Linux leads a process into the folder that it was started in, whatever is closed above that. */
export const HERE = '/proc/self/cwd';

/** Where a program of PostgreSQL is started, and how it is told of its folder there. */
export function startIn(folder: string): { cwd: string | undefined; data: string } {
  if (IS_LINUX) return { cwd: folder, data: HERE };
  return { cwd: IS_WINDOWS ? undefined : '/', data: folder };
}

export const PORT = 5_432;

export const SOCKET = `.s.PGSQL.${PORT}`;

/** The path of a socket may have so many. */
const LONGEST_SOCKET_BYTES = 103;

export const fitsSocket = (folder: string): boolean =>
  Buffer.byteLength(path.join(folder, SOCKET)) <= LONGEST_SOCKET_BYTES;

const opened = new Map<string, number>();

/** A short way to the socket in the folder, for as long as this process lives. */
export function wayToSocket(folder: string): string {
  if (fitsSocket(folder)) return folder;
  const descriptor = opened.get(folder) ?? openSync(folder, 'r');
  opened.set(folder, descriptor);
  return `/proc/self/fd/${descriptor}`;
}

const PASSWORD = 'postgresql-password';

/** What opens the database to whoever can read this file. */
export const passwordFile = (directory: DataDirectory): string => {
  const file = directory.file(PASSWORD);
  madeOnce(file, newSecret);
  return file;
};

/** Under the lock of the directory: a password that another account has made is known to that. */
export function forgetForeignPassword(directory: DataDirectory): void {
  const file = directory.file(PASSWORD);
  const owner = statSync(file, { throwIfNoEntry: false })?.uid;
  if (process.getuid?.() === 0 && owner !== 0) rmSync(file, { force: true });
}

/** Makes it, where there is none: for whoever starts the database. */
export const passwordIn = (directory: DataDirectory): string => readFileSync(passwordFile(directory), 'utf8');

/** For whoever joins one that runs: it makes none. */
export function knownPasswordIn(directory: DataDirectory): string {
  const file = directory.file(PASSWORD);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
