import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Clock } from '../clock.js';
import type { Database } from '../database/database.js';
import type { CopyRequests } from './copy-requests.js';
import { BackupFolder, type Kept, stateOf } from './folder.js';
import { BackupError } from './format.js';
import { inOwnProcess } from './process.js';

const BACKUP_LOCK = 7_783_543;

const HOUR = 3_600_000;

/** In milliseconds: how often the folder is looked at. */
const INTERVAL = 60_000;

/** In milliseconds: the same while another instance is making a backup. */
const TAKEN = 5_000;

/** In milliseconds: exponential backoff after failures, from the first pause to the last. */
const PAUSE = { first: 5_000, last: HOUR };

/** In milliseconds: a backup that is due for longer than this is overdue. */
const GRACE = 15 * 60_000;

export interface BackupSettings {
  folder: string;
  everyHours: number;
  /** How many backups stay. */
  keep: number;
  database: Database;
  /** Undefined for a server, which another process can read. */
  copies: CopyRequests | undefined;
  clock: Clock;
  log: Logger;
}

/** What a health check tells. */
export interface BackupHealth {
  lastGoodAt: Date | null;
  ageSeconds: number | null;
  isOverdue: boolean;
}

/** Makes a backup when the newest good one is too old. What fails is logged and tried again; nothing is thrown. */
export class BackupSchedule {
  private readonly folder: BackupFolder;
  private readonly stopped = new AbortController();
  private readonly every: number;
  private running = Promise.resolve();
  private isKeeper = false;
  private failures = 0;
  private lastGoodAt: Date | null = null;
  /** By file: whether it was good in that state. */
  private readonly judged = new Map<string, { state: string; isGood: boolean }>();

  constructor(private readonly settings: BackupSettings) {
    this.folder = new BackupFolder(settings.folder);
    this.every = settings.everyHours * HOUR;
  }

  /** From now on this instance makes backups, and does not only tell how old the last one is. */
  keep(): void {
    this.isKeeper = true;
  }

  start(): void {
    this.running = this.run();
  }

  /** A backup that is being made is given up. */
  async stop(): Promise<void> {
    this.stopped.abort();
    await this.running;
  }

  health(): BackupHealth {
    const age = this.age();
    const ageSeconds = Number.isFinite(age) ? Math.floor(age / 1_000) : null;
    return { lastGoodAt: this.lastGoodAt, ageSeconds, isOverdue: age > this.every + GRACE };
  }

  private age(): number {
    if (!this.lastGoodAt) return Number.POSITIVE_INFINITY;
    return this.settings.clock.now().getTime() - this.lastGoodAt.getTime();
  }

  private isDue(): boolean {
    return this.age() >= this.every;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopped;
    while (!signal.aborted) {
      const pause = await this.round();
      await delay(pause, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  /** Returns how long to wait for the next one. */
  private async round(): Promise<number> {
    try {
      await this.look();
      const isTaken = this.isKeeper && this.isDue() && !(await this.makeAlone());
      this.failures = 0;
      return isTaken ? TAKEN : INTERVAL;
    } catch (error) {
      if (this.stopped.signal.aborted) return 0;
      const pause = Math.min(PAUSE.first * 2 ** this.failures, PAUSE.last);
      this.failures += 1;
      const reason = (error as Error).message.split('\n')[0];
      this.settings.log.error(
        { reason, nextInSeconds: pause / 1_000 },
        'A backup failed and will be tried again',
      );
      return pause;
    }
  }

  private async look(): Promise<void> {
    const before = this.lastGoodAt;
    const newest = await this.newestGood();
    this.lastGoodAt = newest?.madeAt ?? null;
    const isNews = newest?.madeAt.getTime() !== before?.getTime();
    if (!this.isKeeper || !newest || !isNews || this.isDue()) return;
    const nextAt = new Date(newest.madeAt.getTime() + this.every);
    this.settings.log.info({ lastGoodAt: newest.madeAt, nextAt }, `The last backup is ${newest.file}`);
  }

  private async newestGood(): Promise<Kept | undefined> {
    for (const each of await this.folder.backups(this.settings.clock.now())) {
      if (!this.isKeeper || (await this.isGood(each.file))) return each;
    }
    return undefined;
  }

  private async isGood(file: string): Promise<boolean> {
    const state = await stateOf(file);
    const known = this.judged.get(file);
    if (known?.state === state) return known.isGood;
    const { signal } = this.stopped;
    const isGood = await inOwnProcess(['check', file], signal).then(
      () => true,
      (error: Error) => {
        if (signal.aborted || !(error instanceof BackupError)) throw error;
        this.settings.log.warn(`A backup does not count: ${error.message}`);
        return false;
      },
    );
    this.judged.set(file, { state, isGood });
    return isGood;
  }

  /** Returns false if another instance is at it. The embedded database is for one instance. */
  private async makeAlone(): Promise<boolean> {
    const { copies, database, log } = this.settings;
    if (copies) return this.makeIfDue();
    const isDone = await database.withLock(BACKUP_LOCK, () => this.makeIfDue());
    if (!isDone) log.debug('Another instance is making a backup');
    return isDone ?? false;
  }

  /** Looks again, since another instance may just have made one. */
  private async makeIfDue(): Promise<true> {
    await this.look();
    if (this.isDue()) await this.make();
    return true;
  }

  private async make(): Promise<void> {
    const { copies, clock, log } = this.settings;
    const startedAt = performance.now();
    const madeAt = clock.now();
    const file = this.folder.file(madeAt);
    await this.folder.make();
    await this.folder.removeDrafts();
    try {
      const make = (copy: string) =>
        inOwnProcess(['make', file, madeAt.toISOString(), copy], this.stopped.signal);
      await (copies ? copies.forOwnUse(make) : make(''));
    } catch (error) {
      await this.folder.removeDrafts().catch(() => {}); // the next one tries again
      throw error;
    }
    this.judged.set(file, { state: await stateOf(file), isGood: true });
    const milliseconds = Math.round(performance.now() - startedAt);
    log.info({ milliseconds }, 'Made a backup, and read it again');
    await this.look();
    await this.removeOld(madeAt);
  }

  /** Those that do not count take no other's place. */
  private async removeOld(until: Date): Promise<void> {
    const { keep, log } = this.settings;
    const backups = await this.folder.backups(until);
    const counting = backups.filter(({ file }) => this.judged.get(file)?.isGood !== false);
    for (const { file } of counting.slice(keep)) {
      await rm(file).catch(({ message }: Error) => log.warn(`An old backup is still there: ${message}`));
    }
  }
}
