import type { Logger } from 'pino';
import { type Kept, stateOf } from './folder.js';
import { UnusableFileError } from './format.js';
import { type Found, inOwnProcess } from './process.js';

interface Judgement {
  /** Of the file that was judged. */
  state: string;
  /** Undefined if the file is of no use. */
  users: number | undefined;
}

/** What this process has found out about backups by reading them. */
export class Judgements {
  /** Why a file could not be checked, until somebody resets it. */
  unchecked: Error | undefined;
  private readonly byFile = new Map<string, Judgement>();

  constructor(
    private readonly log: Logger,
    private readonly stopped: AbortSignal,
  ) {}

  async note({ file, users }: Found): Promise<void> {
    this.byFile.set(file, { state: await stateOf(file), users });
  }

  isUnusable(file: string): boolean {
    const judgement = this.byFile.get(file);
    return judgement !== undefined && judgement.users === undefined;
  }

  /**
   * How many users the first good one has that could be read. Refuses while there are good ones and none could be: then
   * nothing tells whether the next one is of the same database.
   */
  usersIn(backups: readonly Kept[]): number {
    const good = backups.filter(({ file, isDoubtful }) => !(isDoubtful || this.isUnusable(file)));
    for (const { file } of good) {
      const users = this.byFile.get(file)?.users;
      if (users !== undefined) return users;
    }
    if (good.length > 0 && this.unchecked) throw this.unchecked;
    return 0;
  }

  /** A file that could not be checked counts until it is: a check may fail for reasons that are not the file's. */
  async isGood(file: string): Promise<boolean> {
    const state = await stateOf(file);
    const known = this.byFile.get(file);
    if (known?.state === state) return known.users !== undefined;
    try {
      const { users } = await inOwnProcess(['check', file], this.stopped);
      this.byFile.set(file, { state, users });
      return true;
    } catch (error) {
      if (this.stopped.aborted) throw error;
      if (error instanceof UnusableFileError) {
        this.log.warn(`A backup does not count: ${error.message}`);
        this.byFile.set(file, { state, users: undefined });
        return false;
      }
      this.byFile.delete(file);
      this.unchecked = error as Error;
      return true;
    }
  }
}
