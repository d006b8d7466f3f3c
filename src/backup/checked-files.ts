import type { Logger } from 'pino';
import { stateOf } from './folder.js';
import { UnusableFileError } from './format.js';
import { type Found, inOwnProcess } from './run-worker.js';

/** What this process has found out about backups by reading them. */
export class CheckedFiles {
  /** The users in each file; undefined of one that is of no use. */
  private readonly byFile = new Map<string, { state: string; users: number | undefined }>();

  constructor(
    private readonly log: Logger,
    private readonly stopped: AbortSignal,
  ) {}

  async note({ file, users }: Found): Promise<void> {
    this.byFile.set(file, { state: await stateOf(file), users });
  }

  isUnusable(file: string): boolean {
    const checked = this.byFile.get(file);
    return checked !== undefined && checked.users === undefined;
  }

  /** Reads the file, unless it is as it was. Undefined if it is of no use; throws if that could not be found out. */
  async usersIn(file: string): Promise<number | undefined> {
    const state = await stateOf(file);
    const known = this.byFile.get(file);
    if (known?.state === state) return known.users;
    this.byFile.delete(file);
    const users = await inOwnProcess(['check', file], this.stopped)
      .then((found) => found.users)
      .catch((error: unknown) => {
        if (!(error instanceof UnusableFileError)) throw error;
        this.log.warn(`A backup does not count: ${error.message}`);
        return undefined;
      });
    this.byFile.set(file, { state, users });
    return users;
  }
}
