import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Clock } from '../clock.js';
import type { Database } from '../database/database.js';
import { BackOff } from '../queues/back-off.js';
import { CheckedFiles } from './checked-files.js';
import { BackupFolder, GRACE, type Kept, LOOK_INTERVAL, overdueAfter } from './folder.js';
import { whileHeld } from './lock-keepalive.js';
import { inOwnProcess } from './run-worker.js';
import { addMissing } from './tombstones.js';

const BACKUP_LOCK = 7_783_543;

const HOUR = 3_600_000;

/** In milliseconds: the same while another instance is making a backup. */
const TAKEN = 5_000;

/** In milliseconds, after failures. */
const PAUSE = { first: 5_000, last: HOUR };

/** In milliseconds: how long the start waits for the names in the folder. */
const FIRST_LOOK = 2_000;

/** A database with fewer users than this part of those in a backup may be the wrong one. */
const FEWER = 0.5;

export interface BackupSettings {
  folder: string;
  everyHours: number;
  /** How many backups stay. */
  keep: number;
  database: Database;
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
  private readonly backOff = new BackOff(PAUSE);
  private readonly since: number;
  /** The newest good one. Undefined until the folder was looked at, null if there is none. */
  private newest: Kept | null | undefined;
  private toldAt: number | undefined;
  /** Why a backup could not be checked in this round. */
  private unchecked: Error | undefined;
  private readonly checked: CheckedFiles;

  constructor(private readonly settings: BackupSettings) {
    this.folder = new BackupFolder(settings.folder);
    this.every = settings.everyHours * HOUR;
    this.since = settings.clock.now().getTime();
    this.checked = new CheckedFiles(settings.log, this.stopped.signal);
  }

  /** From now on this instance makes backups, and does not only tell how old the last one is. */
  keep(): void {
    this.isKeeper = true;
  }

  /** Reads the names, so that the first health check is told the truth. A disk that does not answer is not waited for. */
  async prepare(): Promise<void> {
    const looking = this.lookAtNames().catch(() => {}); // the first round tells why
    await Promise.race([looking, delay(FIRST_LOOK, undefined, { ref: false })]);
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
    const { newest } = this;
    const age = this.age();
    return {
      lastGoodAt: newest?.madeAt ?? null,
      ageSeconds: newest ? Math.floor(age / 1_000) : null,
      isOverdue: newest ? age > overdueAfter(this.settings.everyHours) : this.isFirstOverdue(),
    };
  }

  /** The first one is made at the start of the service. */
  private isFirstOverdue(): boolean {
    const { clock } = this.settings;
    return (
      this.newest !== undefined && (this.backOff.hasFailed || clock.now().getTime() - this.since > GRACE)
    );
  }

  private age(): number {
    if (!this.newest) return Number.POSITIVE_INFINITY;
    return this.settings.clock.now().getTime() - this.newest.madeAt.getTime();
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
      this.unchecked = undefined;
      await this.look();
      const isTaken = this.isKeeper && this.isDue() && !(await this.makeAlone());
      if (this.unchecked) throw this.unchecked;
      this.backOff.reset();
      if (isTaken) return TAKEN;
      return this.isKeeper ? LOOK_INTERVAL.keeper : LOOK_INTERVAL.others;
    } catch (error) {
      if (this.stopped.signal.aborted) return 0;
      this.newest ??= null;
      const pause = this.backOff.next();
      const reason = (error as Error).message.split('\n')[0];
      const what = error === this.unchecked ? 'A backup could not be checked' : 'A backup failed';
      this.settings.log.error({ reason, nextInSeconds: pause / 1_000 }, `${what} and will be tried again`);
      return pause;
    }
  }

  private async look(): Promise<void> {
    await this.lookAtNames().catch((error: unknown) => {
      this.newest = null; // what was there before cannot be restored now
      throw error;
    });
    if (!this.isKeeper) return;
    this.newest = await this.newestGood();
    if (!this.newest || this.newest.madeAt.getTime() === this.toldAt || this.isDue()) return;
    this.toldAt = this.newest.madeAt.getTime();
    const nextAt = new Date(this.toldAt + this.every);
    this.settings.log.info(
      { lastGoodAt: this.newest.madeAt, nextAt },
      `The last backup is ${this.newest.file}`,
    );
  }

  /** A backup has its name because it was good when it was made. */
  private async lookAtNames(): Promise<void> {
    this.newest = (await this.counting(this.settings.clock.now()))[0] ?? null;
  }

  /** Newest first. */
  private async counting(until: Date): Promise<Kept[]> {
    return (await this.folder.backups(until)).filter(({ file }) => !this.checked.isUnusable(file));
  }

  /** A file that could not be checked counts until it is: a check may fail for reasons that are not the file's. */
  private async newestGood(): Promise<Kept | null> {
    for (const each of await this.folder.backups(this.settings.clock.now())) {
      try {
        if ((await this.checked.usersIn(each.file)) !== undefined) return each;
      } catch (error) {
        if (this.stopped.signal.aborted) throw error;
        this.unchecked = error as Error;
        return each;
      }
    }
    return null;
  }

  /** Returns false if another instance is at it. */
  private async makeAlone(): Promise<boolean> {
    const { database, log } = this.settings;
    const { signal } = this.stopped;
    const isDone = await database.withLock(BACKUP_LOCK, (connection) =>
      whileHeld(connection, (lost) => this.makeIfDue(AbortSignal.any([signal, lost]))),
    );
    if (!isDone) log.debug('Another instance is making a backup');
    return isDone ?? false;
  }

  /** Looks again, since another instance may just have made one. */
  private async makeIfDue(signal: AbortSignal): Promise<true> {
    await this.look();
    if (this.isDue()) await this.make(signal);
    return true;
  }

  private async make(signal: AbortSignal): Promise<void> {
    const { clock, database, log } = this.settings;
    const startedAt = performance.now();
    const madeAt = clock.now();
    const file = this.folder.file(madeAt);
    await this.folder.make();
    await this.folder.removeDrafts();
    await addMissing(this.folder.path, database.query());
    const usersBefore = this.newest ? await this.checked.usersIn(this.newest.file) : 0;
    try {
      const made = await inOwnProcess(['make', file, madeAt.toISOString()], signal);
      await this.checked.note(made);
      const milliseconds = Math.round(performance.now() - startedAt);
      log.info({ milliseconds }, 'Made a backup, and read it again');
      if (made.users < (usersBefore ?? 0) * FEWER)
        log.warn(
          { users: made.users, usersBefore },
          `A backup has far fewer users than the one before: ${file}`,
        );
      await this.look();
      await this.removeOld(madeAt, made.users);
    } catch (error) {
      await this.folder.removeDrafts().catch(() => {}); // the next one tries again
      throw error;
    }
  }

  /** One with far more users than the new one stays: the database may be the wrong one. */
  private async removeOld(until: Date, users: number): Promise<void> {
    const { keep, log } = this.settings;
    for (const { file } of (await this.counting(until)).slice(keep)) {
      const remove = async () => {
        const usersBefore = (await this.checked.usersIn(file)) ?? 0;
        if (users < usersBefore * FEWER)
          throw new Error(`it has ${usersBefore} users, and the new one ${users}`);
        await rm(file);
      };
      await remove().catch(({ message }: Error) =>
        log.warn(`The old backup ${file} is still there: ${message}`),
      );
    }
  }
}
