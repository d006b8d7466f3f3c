import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

/** What keeps a directory from being used, in one line for the operator. */
export class DataDirectoryError extends Error {}

const MARKER = 'steady.json';
const SECRET = 'jwt-secret';

/** Of what is in the directory; a newer Steady may write a higher one. */
const FORMAT = 1;

/** As for JWT_SECRET. */
const SHORTEST_SECRET = 32;

/** A directory of ours: marked as such, or empty. Anything else is refused, and left untouched. */
export class DataDirectory {
  readonly path: string;

  constructor(directory: string) {
    this.path = path.resolve(directory);
    this.attempt(() => this.inspect());
  }

  file(name: string): string {
    return path.join(this.path, name);
  }

  /** Makes it ours, if it is new. From now on what this process writes is for its own account alone. */
  claim(): void {
    process.umask(0o077);
    if (existsSync(this.file(MARKER))) return;
    this.attempt(() => {
      const parent = path.dirname(this.path);
      if (!existsSync(parent)) mkdirSync(parent, { recursive: true });
      if (!existsSync(this.path)) mkdirSync(this.path); // on its own: the recursive one never ends in /proc
      this.write(MARKER, `${JSON.stringify({ format: FORMAT })}\n`, renameSync);
    });
  }

  /** Kept across restarts, so that tokens stay valid; the first of several processes makes it. */
  secret(): string {
    this.claim();
    return this.attempt(() => {
      // Unlike a rename, a link fails when another process was first.
      if (!existsSync(this.file(SECRET)))
        this.write(SECRET, randomBytes(48).toString('base64url'), linkIfMissing);
      return readFileSync(this.file(SECRET), 'utf8');
    });
  }

  /** Takes from other accounts what they were given, and answers what the operator should know of it. */
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

  /** Whatever goes wrong with its files is a line for the operator. */
  attempt<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (error instanceof DataDirectoryError) throw error;
      throw new DataDirectoryError(`DATA_DIR ${this.path} cannot be used: ${(error as Error).message}`);
    }
  }

  private inspect(): void {
    const found = existsSync(this.path) ? readdirSync(this.path) : [];
    if (found.every((name) => name.startsWith(`${MARKER}.`))) return; // nothing but drafts of a marker
    if (!found.includes(MARKER)) {
      throw new DataDirectoryError(
        `DATA_DIR ${this.path} holds something that is not Steady's. Choose an empty or a new directory.`,
      );
    }
    const format = formatIn(readFileSync(this.file(MARKER), 'utf8'));
    if (format === undefined) throw this.damaged(MARKER, 'Restore it from a backup');
    if (format > FORMAT) {
      throw new DataDirectoryError(
        `DATA_DIR ${this.path} was written by a newer Steady (format ${format}, and this one knows ${FORMAT}).`,
      );
    }
    if (found.includes(SECRET) && readFileSync(this.file(SECRET)).length < SHORTEST_SECRET) {
      throw this.damaged(SECRET, 'Restore it from a backup, or remove it: then everyone has to log in again');
    }
  }

  private damaged(name: string, remedy: string): DataDirectoryError {
    return new DataDirectoryError(`The file ${this.file(name)} is damaged. ${remedy}.`);
  }

  /** Nobody ever sees half of it. */
  private write(name: string, text: string, publish: (draft: string, file: string) => void): void {
    const draft = this.file(`${name}.${process.pid}`);
    try {
      writeFileSync(draft, text, { mode: 0o600 });
      publish(draft, this.file(name));
    } finally {
      rmSync(draft, { force: true });
    }
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
    // of another owner, or on a file system without modes
  }
}

function linkIfMissing(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
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
