import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** What keeps a directory from being used, in one line for the operator. */
export class DataDirectoryError extends Error {}

const MARKER = 'steady.json';

/** A directory of ours: marked as such, or empty and then marked. Anything else is left untouched. */
export class DataDirectory {
  readonly path: string;

  constructor(directory: string) {
    this.path = path.resolve(directory);
    try {
      const found = existsSync(this.path) ? readdirSync(this.path) : [];
      if (found.length > 0 && !found.includes(MARKER)) {
        throw new DataDirectoryError(
          `DATA_DIR ${this.path} holds something that is not Steady's. Choose an empty or a new directory.`,
        );
      }
      if (found.length === 0) {
        const parent = path.dirname(this.path);
        if (!existsSync(parent)) mkdirSync(parent, { recursive: true });
        if (!existsSync(this.path)) mkdirSync(this.path); // on its own: the recursive one never ends in /proc
        writeFileSync(this.file(MARKER), `${JSON.stringify({ format: 1 })}\n`);
      }
    } catch (error) {
      if (error instanceof DataDirectoryError) throw error;
      throw new DataDirectoryError(`DATA_DIR ${this.path} cannot be used: ${(error as Error).message}`);
    }
  }

  file(name: string): string {
    return path.join(this.path, name);
  }

  /** Kept across restarts, so that tokens stay valid; the first of several processes makes it. */
  secret(): string {
    const file = this.file('jwt-secret');
    if (!existsSync(file)) {
      const draft = `${file}.${process.pid}`;
      writeFileSync(draft, randomBytes(48).toString('base64url'), { mode: 0o600 });
      try {
        linkSync(draft, file); // unlike a rename it fails when another process was first
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      } finally {
        rmSync(draft);
      }
    }
    return readFileSync(file, 'utf8');
  }
}
