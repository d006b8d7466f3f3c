import { rm, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Clock } from '../clock.js';
import type { Database } from '../database/database.js';
import { BackOff } from '../queues/back-off.js';
import type { CopyRequests } from './copy-requests.js';
import { BackupFolder, GRACE, type Kept, LOOK_INTERVAL, overdueAfter } from './folder.js';
import { whileHeld } from './held-lock.js';
import { Judgements } from './judgements.js';
import { type Found, inOwnProcess } from './process.js';
import { addMissing } from './tombstones.js';

const BACKUP_LOCK = 7_783_543;

const HOUR = 3_600_000;

/** In milliseconds: the same while another instance is making a backup. */
const TAKEN = 5_000;

/** In milliseconds, after failures. */
const PAUSE = { first: 5_000, last: HOUR };

/** In milliseconds: how long the start waits for the names in the folder. */
const FIRST_LOOK = 2_000;

/** A backup with fewer users than this part of the last one's is doubtful. */
const FEWER = 0.5;

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
  /** Of a backup since then that has far fewer users. */
  doubtfulAt: Date | null;
}

interface Newest {
  good: Kept | undefined;
  doubtful: Kept | undefined;
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
  /** Undefined until the folder was looked at. */
  private newest: Newest | undefined;
  private toldAt: number | undefined;
  private readonly judgements: Judgements;

  constructor(private readonly settings: BackupSettings) {
    this.folder = new BackupFolder(settings.folder);
    this.every = settings.everyHours * HOUR;
    this.since = settings.clock.now().getTime();
    this.judgements = new Judgements(settings.log, this.stopped.signal);
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
    const { good, doubtful } = this.newest ?? NONE;
    const age = this.ageOf(good);
    return {
      lastGoodAt: good?.madeAt ?? null,
      ageSeconds: good ? Math.floor(age / 1_000) : null,
      isOverdue: good ? age > overdueAfter(this.settings.everyHours) : this.isFirstOverdue(),
      doubtfulAt: doubtful && this.ageOf(doubtful) < age ? doubtful.madeAt : null,
    };
  }

  /** The first one is made at the start of the service. */
  private isFirstOverdue(): boolean {
    const { clock } = this.settings;
    return (
      this.newest !== undefined && (this.backOff.hasFailed || clock.now().getTime() - this.since > GRACE)
    );
  }

  private ageOf(backup: Kept | undefined): number {
    if (!backup) return Number.POSITIVE_INFINITY;
    return this.settings.clock.now().getTime() - backup.madeAt.getTime();
  }

  /** A doubtful one puts off the next, else there would be one a minute. */
  private isDue(): boolean {
    const { good, doubtful } = this.newest ?? NONE;
    return Math.min(this.ageOf(good), this.ageOf(doubtful)) >= this.every;
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
      this.judgements.unchecked = undefined;
      await this.look();
      const isTaken = this.isKeeper && this.isDue() && !(await this.makeAlone());
      if (this.judgements.unchecked) throw this.judgements.unchecked;
      this.backOff.reset();
      if (isTaken) return TAKEN;
      return this.isKeeper ? LOOK_INTERVAL.keeper : LOOK_INTERVAL.others;
    } catch (error) {
      if (this.stopped.signal.aborted) return 0;
      this.newest ??= NONE;
      const pause = this.backOff.next();
      const reason = (error as Error).message.split('\n')[0];
      const what = error === this.judgements.unchecked ? 'A backup could not be checked' : 'A backup failed';
      this.settings.log.error({ reason, nextInSeconds: pause / 1_000 }, `${what} and will be tried again`);
      return pause;
    }
  }

  private async look(): Promise<void> {
    await this.lookAtNames().catch((error: unknown) => {
      this.newest = NONE; // what was there before cannot be restored now
      throw error;
    });
    if (!this.isKeeper) return;
    this.newest = { ...(this.newest ?? NONE), good: await this.newestGood() };
    const { good } = this.newest;
    if (!good || good.madeAt.getTime() === this.toldAt || this.isDue()) return;
    this.toldAt = good.madeAt.getTime();
    const nextAt = new Date(this.toldAt + this.every);
    this.settings.log.info({ lastGoodAt: good.madeAt, nextAt }, `The last backup is ${good.file}`);
  }

  /** A backup has its name because it was good when it was made. */
  private async lookAtNames(): Promise<void> {
    const backups = await this.folder.backups(this.settings.clock.now());
    const counting = backups.filter(({ file }) => !this.judgements.isUnusable(file));
    this.newest = {
      good: counting.find(({ isDoubtful }) => !isDoubtful),
      doubtful: counting.find(({ isDoubtful }) => isDoubtful),
    };
  }

  private async newestGood(): Promise<Kept | undefined> {
    for (const each of await this.folder.backups(this.settings.clock.now())) {
      if (!each.isDoubtful && (await this.judgements.isGood(each.file))) return each;
    }
    return undefined;
  }

  /** Returns false if another instance is at it. The embedded database is for one instance. */
  private async makeAlone(): Promise<boolean> {
    const { copies, database, log } = this.settings;
    const { signal } = this.stopped;
    if (copies) return this.makeIfDue(signal);
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
    const { copies, clock, database, log } = this.settings;
    const startedAt = performance.now();
    const madeAt = clock.now();
    const file = this.folder.file(madeAt);
    await this.folder.make();
    await this.folder.removeDrafts();
    await addMissing(this.folder.path, database.query());
    const lastUsers = this.judgements.usersIn(await this.folder.backups(madeAt));
    let made: Found;
    try {
      const make = (copy: string) =>
        inOwnProcess(['make', file, madeAt.toISOString(), `${lastUsers * FEWER}`, copy], signal);
      const beside = { folder: this.folder.path, bytes: await this.lastSize() };
      made = await (copies ? copies.forOwnUse(make, { signal, beside }) : make(''));
    } catch (error) {
      await this.folder.removeDrafts().catch(() => {}); // the next one tries again
      throw error;
    }
    await this.judgements.note(made);
    const milliseconds = Math.round(performance.now() - startedAt);
    log.info({ milliseconds }, 'Made a backup, and read it again');
    if (made.file !== file) {
      log.warn(
        { users: made.users, lastUsers },
        `A backup is doubtful: the database has far fewer users than in the last one. It takes no other's place: ${made.file}`,
      );
    }
    await this.look();
    await this.removeOld(madeAt);
  }

  private async lastSize(): Promise<number | undefined> {
    const file = this.newest?.good?.file;
    return file === undefined ? undefined : (await stat(file)).size;
  }

  /** Those that do not count take no other's place, and doubtful ones only that of their like. */
  private async removeOld(until: Date): Promise<void> {
    const { keep, log } = this.settings;
    const backups = await this.folder.backups(until);
    const counting = backups.filter(({ file }) => !this.judgements.isUnusable(file));
    const good = counting.filter(({ isDoubtful }) => !isDoubtful);
    const doubtful = counting.filter(({ isDoubtful }) => isDoubtful);
    for (const { file } of [...good.slice(keep), ...doubtful.slice(keep)]) {
      await rm(file).catch(({ message }: Error) => log.warn(`An old backup is still there: ${message}`));
    }
  }
}

const NONE: Newest = { good: undefined, doubtful: undefined };
