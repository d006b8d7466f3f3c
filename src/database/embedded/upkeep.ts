import { setTimeout as delay } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { hasRoomToWrite } from './disk-room.js';

const INTERVAL = 1_000;

/**
 * A checkpoint runs when the log is longer than this, because the next start would have to replay it. Two log files.
 */
const LONG_LOG = '32 MB';

/**
 * Background work that a server does and PGlite does not. Without checkpoints the log would grow for ever, and a
 * start after a kill would take longer and longer. And PostgreSQL crashes when the disk has no room for its log, so
 * writes are refused before that; the little that reads write fits into the spare files.
 */
export class Upkeep {
  private readonly stopped = new AbortController();
  private running: Promise<void> | undefined;
  private round = Promise.resolve();
  private hasRoom = true;
  private copying: Promise<unknown> = Promise.resolve();
  private isCopying = false;

  constructor(
    private readonly query: Kysely<unknown>,
    private readonly folder: string,
    private readonly onRoom: (hasRoom: boolean) => void,
  ) {}

  /** Resolves after the first round. */
  async start(): Promise<void> {
    await this.runOnce();
    this.running = this.run();
  }

  /**
   * Runs `work` while no checkpoint begins but its own: the log since then stays, and the control file names it.
   * One at a time, since each begins with a checkpoint.
   */
  withoutCheckpoints<T>(work: () => Promise<T>): Promise<T> {
    const result = this.copying.then(async () => {
      this.isCopying = true;
      await this.round; // it may have decided on a checkpoint before
      return work().finally(() => {
        this.isCopying = false;
      });
    });
    this.copying = result.catch(() => {});
    return result;
  }

  async stop(): Promise<void> {
    this.stopped.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopped;
    while (!signal.aborted) {
      await delay(INTERVAL, undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted) return;
      this.round = this.runOnce().catch(() => {}); // the next round tries again
      await this.round;
    }
  }

  private async runOnce(): Promise<void> {
    const hasRoom = await hasRoomToWrite(this.folder, this.hasRoom);
    if (hasRoom !== this.hasRoom) {
      await sql`set default_transaction_read_only = ${sql.raw(hasRoom ? 'off' : 'on')}`.execute(this.query);
      this.hasRoom = hasRoom;
      this.onRoom(hasRoom);
    }
    if (!this.isCopying && (await this.isLogLong())) await sql`checkpoint`.execute(this.query);
  }

  private async isLogLong(): Promise<boolean> {
    const { rows } = await sql<{ isLong: boolean }>`
      select pg_current_wal_insert_lsn() - redo_lsn > pg_size_bytes(${LONG_LOG}) as "isLong"
      from pg_control_checkpoint()`.execute(this.query);
    return rows.some(({ isLong }) => isLong);
  }
}
