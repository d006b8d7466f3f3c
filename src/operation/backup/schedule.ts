import { rm, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Clock } from '../../base/clock.js';
import { BackOff } from '../../base/queues/back-off.js';
import type { Database } from '../../database/database.js';
import { writeFile } from './file.js';
import { BackupFolder, FIRST_DUE_MS, type Kept, overdueAfter } from './folder.js';
import { type Contents, watched } from './format.js';
import { isOfAnother, newestOwn } from './origin.js';
import { readAlone } from './snapshot.js';
import { addMissing } from './tombstones.js';

const BACKUP_LOCK = 7_783_543;

const HOUR_MS = 3_600_000;

/** How often the process that makes backups looks at the folder, and how often the others do. */
const LEADER_LOOKS_MS = 60_000;
const OTHERS_LOOK_MS = 5_000;

const PAUSE_AFTER_FAILURE_MS = { first: 5_000, last: HOUR_MS };

/** How long the start waits for the names in the folder. */
const FIRST_LOOK_MS = 2_000;

/** A backup that is smaller than this part of the one before may be of the wrong database. */
const MUCH_SMALLER = 0.5;

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

/** Makes a backup when the newest one is too old. What fails is logged and tried again; nothing is thrown. */
export class BackupSchedule {
  private readonly folder: BackupFolder;
  private readonly stopped = new AbortController();
  private readonly everyMs: number;
  private running = Promise.resolve();
  private isLeader = false;
  private readonly backOff = new BackOff(PAUSE_AFTER_FAILURE_MS);
  private readonly since: number;
  /** Of this database. Undefined until the folder was looked at, null if there is none. */
  private newest: Kept | null | undefined;
  private publishedAt: number | undefined;
  /** Files of other databases, which neither put off a backup nor are removed. */
  private readonly strangers = new Set<string>();
  private warnedOf = 0;

  constructor(private readonly settings: BackupSettings) {
    this.folder = new BackupFolder(settings.folder);
    this.everyMs = settings.everyHours * HOUR_MS;
    this.since = settings.clock.now().getTime();
  }

  /** From now on this instance makes backups, and does not only tell how old the last one is. */
  keep(): void {
    this.isLeader = true;
  }

  /** Reads the names, so that the first health check is told the truth. A disk that does not answer is not waited for. */
  async prepare(): Promise<void> {
    const looking = this.look().catch(() => {}); // the first round tells why
    await Promise.race([looking, delay(FIRST_LOOK_MS, undefined, { ref: false })]);
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
    const running = this.settings.clock.now().getTime() - this.since;
    return this.newest !== undefined && (this.backOff.hasFailed || running > FIRST_DUE_MS);
  }

  private age(): number {
    if (!this.newest) return Number.POSITIVE_INFINITY;
    return this.settings.clock.now().getTime() - this.newest.madeAt.getTime();
  }

  private isDue(): boolean {
    return this.age() >= this.everyMs;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopped;
    while (!signal.aborted) {
      const pause = await this.round();
      await delay(pause, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  /** Returns how many milliseconds to wait for the next one. */
  private async round(): Promise<number> {
    const { log } = this.settings;
    try {
      await this.look();
      if (this.isLeader) this.warnOfStrangers();
      const isTaken = this.isLeader && this.isDue() && !(await this.makeAlone());
      this.backOff.reset();
      if (this.isLeader) this.publishNewest();
      if (isTaken) log.debug('Another instance is making a backup');
      return this.isLeader && !isTaken ? LEADER_LOOKS_MS : OTHERS_LOOK_MS;
    } catch (error) {
      if (this.stopped.signal.aborted) return 0;
      const pause = this.backOff.next();
      const reason = (error as Error).message.split('\n')[0];
      log.error({ reason, nextInSeconds: pause / 1_000 }, 'A backup failed and will be tried again');
      return pause;
    }
  }

  /** A backup has its name because it was whole when it was written. What cannot be seen now cannot be restored. */
  private async look(): Promise<void> {
    const found = this.folder.backups(this.settings.clock.now());
    this.newest = (await newestOwn(await found.catch(() => []), (each) => this.isStranger(each))) ?? null;
    await found;
  }

  private async isStranger({ file }: Kept): Promise<boolean> {
    if (file === this.newest?.file) return false;
    if (this.strangers.has(file)) return true;
    const isStranger = await isOfAnother(this.settings.database.query(), file);
    if (isStranger) this.strangers.add(file);
    return isStranger;
  }

  private warnOfStrangers(): void {
    if (this.strangers.size === this.warnedOf) return;
    this.warnedOf = this.strangers.size;
    this.settings.log.warn(
      `${[...this.strangers].at(-1)} in BACKUP_DIR is of another database, and does not count. Give each a folder of its own`,
    );
  }

  private publishNewest(): void {
    const { log } = this.settings;
    if (!this.newest || this.isDue() || this.newest.madeAt.getTime() === this.publishedAt) return;
    this.publishedAt = this.newest.madeAt.getTime();
    const { file, madeAt } = this.newest;
    const nextAt = new Date(this.publishedAt + this.everyMs);
    log.info({ lastGoodAt: madeAt, nextAt }, `The last backup is ${file}`);
  }

  /** Returns false if another instance is at it. */
  private async makeAlone(): Promise<boolean> {
    const isDone = await readAlone(this.settings.database, BACKUP_LOCK, async (contents) => {
      await this.look(); // another instance may just have made one
      if (this.isDue()) await this.make(contents);
      return true;
    });
    return isDone ?? false;
  }

  private async make({ header, rows }: Contents): Promise<void> {
    const { clock, database, log } = this.settings;
    const startedAt = performance.now();
    const before = this.newest ? await sizeOf(this.newest) : 0;
    const madeAt = clock.now();
    const file = this.folder.file(madeAt);
    await this.folder.make();
    await this.folder.removeDrafts();
    await addMissing(this.folder.path, database.query());
    const dated = { header: { ...header, madeAt: madeAt.toISOString() }, rows };
    await writeFile(
      file,
      watched(dated, () => this.stopped.signal.throwIfAborted()),
    );
    const bytes = await sizeOf({ file });
    const milliseconds = Math.round(performance.now() - startedAt);
    log.info({ milliseconds, bytes }, 'Made a backup');
    if (bytes < before * MUCH_SMALLER)
      log.warn({ bytes, bytesBefore: before }, `A backup is much smaller than the one before: ${file}`);
    await this.look();
    await this.removeOld(madeAt);
  }

  private async removeOld(until: Date): Promise<void> {
    const own: Kept[] = [];
    for (const each of await this.folder.backups(until)) if (!(await this.isStranger(each))) own.push(each);
    for (const { file } of own.slice(this.settings.keep))
      await rm(file).catch(({ message }: Error) =>
        this.settings.log.warn(`The old backup ${file} is still there: ${message}`),
      );
  }
}

const sizeOf = async ({ file }: Pick<Kept, 'file'>): Promise<number> => (await stat(file)).size;
