import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { syncDirectory } from './fsync.js';
import { madeOnce, writeWhole } from './whole-file.js';

/** A data directory cannot be used. The message is one line for the operator. */
export class DataDirectoryError extends Error {}

const MARKER = 'steady.json';
const SECRET = 'jwt-secret';

/** The format of the directory: 1 was that of 1.0.0-rc.1. A newer Steady may write a higher number. */
const FORMAT = 2;

/** In characters, as for JWT_SECRET. */
const SHORTEST_SECRET = 32;

/** Longer than anybody could guess. */
export const newSecret = () => randomBytes(48).toString('base64url');

/** A directory that is empty or carries our marker. Any other is refused and left untouched. */
export class DataDirectory {
  readonly path: string;

  constructor(directory: string) {
    this.path = path.resolve(directory);
    this.attempt(() => this.inspect());
  }

  file(name: string): string {
    return path.join(this.path, name);
  }

  /** Creates and marks a new directory. Sets the umask, so that files of this process are private from now on. */
  claim(): void {
    process.umask(0o077);
    if (!existsSync(this.file(MARKER))) this.mark();
  }

  /** Marks it as of this Steady. */
  mark(): void {
    this.attempt(() => {
      this.make();
      writeWhole(this.file(MARKER), `${JSON.stringify({ format: FORMAT })}\n`, renameSync);
    });
  }

  /** Whether it was marked by an earlier Steady. */
  get isEarlier(): boolean {
    const marker = this.file(MARKER);
    return existsSync(marker) && (formatIn(readFileSync(marker, 'utf8')) ?? FORMAT) < FORMAT;
  }

  /**
   * Stored, so that tokens stay valid across restarts. If several processes start at once, the first one creates it.
   */
  secret(): string {
    this.claim();
    return this.attempt(() => madeOnce(this.file(SECRET), newSecret));
  }

  /** For a command of root's: a service of the account that owns it could not open it any more. */
  requireOwn(): void {
    const { uid } = statSync(this.path);
    if (process.getuid?.() !== 0 || uid === 0) return;
    throw new DataDirectoryError(
      `DATA_DIR ${this.path} belongs to another account (${uid}): run this as that account, such as by sudo -u '#${uid}'.`,
    );
  }

  /** From root: another account that owns it could change what is in it. Returns a warning if that was so. */
  takeOver(): string | undefined {
    if (process.getuid?.() !== 0) return undefined;
    const { uid } = statSync(this.path);
    if (uid === 0) return undefined;
    return this.attempt(() => {
      chownSync(this.path, 0, 0);
      chmodSync(this.path, 0o700);
      return `DATA_DIR ${this.path} belonged to another account (${uid}), and belongs to root now, as which Steady runs. To run it as that account, give the directory back to it with all that is in it.`;
    });
  }

  /** Closes the directory to other accounts. Returns a warning if it was open, or cannot be closed. */
  makePrivate(): string | undefined {
    const files = [
      this.path,
      ...readdirSync(this.path, { recursive: true }).map((name) => this.file(`${name}`)),
    ];
    const open = files.filter(isOpenToOthers);
    const couldBeRead = open.some((file) => lstatSync(file).isFile());
    for (const file of open) closeToOthers(file);
    const left = open.filter(isOpenToOthers);
    if (left.length > 0) {
      return `DATA_DIR ${this.path} is open to other accounts, and neither its owner nor its file system let us close it: ${left[0]} for one. It holds password hashes.`;
    }
    if (!couldBeRead) return undefined;
    return `DATA_DIR ${this.path} was open to other accounts, and is closed to them now (${open.length} files and directories). It holds password hashes.`;
  }

  /** Turns any file system error into one line for the operator. */
  attempt<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (error instanceof DataDirectoryError) throw error;
      const reason = (error as Error).message;
      throw new DataDirectoryError(
        `DATA_DIR ${this.path} cannot be used: ${reason}. Choose another directory, or give it to this account.`,
      );
    }
  }

  private make(): void {
    const made: string[] = [];
    for (let place = this.path; !existsSync(place); place = path.dirname(place)) made.unshift(place);
    for (const place of made) {
      if (!existsSync(place)) mkdirSync(place); // not recursive: a recursive mkdir never returns in /proc
      syncDirectory(path.dirname(place));
    }
  }

  private inspect(): void {
    const found = existsSync(this.path) ? readdirSync(this.path) : [];
    if (found.every((name) => name.startsWith(`${MARKER}.`))) return; // only drafts of a marker, left by a killed process
    if (!found.includes(MARKER)) {
      throw new DataDirectoryError(
        `DATA_DIR ${this.path} holds something that is not Steady's. Choose an empty or a new directory.`,
      );
    }
    const format = formatIn(readFileSync(this.file(MARKER), 'utf8'));
    if (format === undefined) throw this.damaged(MARKER, 'Restore it from a backup');
    if (format > FORMAT) {
      throw new DataDirectoryError(
        `DATA_DIR ${this.path} was written by a newer Steady (format ${format}, and this one knows ${FORMAT}). Run that release again, or choose another directory.`,
      );
    }
    if (found.includes(SECRET) && readFileSync(this.file(SECRET)).length < SHORTEST_SECRET) {
      throw this.damaged(SECRET, 'Restore it from a backup, or remove it: then everyone has to log in again');
    }
  }

  private damaged(name: string, remedy: string): DataDirectoryError {
    return new DataDirectoryError(`The file ${this.file(name)} is damaged. ${remedy}.`);
  }
}

const isOpenToOthers = (file: string): boolean => {
  const found = lstatSync(file, { throwIfNoEntry: false });
  return found !== undefined && !found.isSymbolicLink() && (found.mode & 0o077) !== 0;
};

function closeToOthers(file: string): void {
  try {
    chmodSync(file, lstatSync(file).isDirectory() ? 0o700 : 0o600);
  } catch {
    // owned by another account, or on a file system without permissions
  }
}

function formatIn(marker: string): number | undefined {
  try {
    const { format } = JSON.parse(marker) as { format?: unknown };
    return typeof format === 'number' ? format : undefined;
  } catch {
    return undefined;
  }
}
