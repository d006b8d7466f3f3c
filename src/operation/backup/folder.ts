import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';

const NAME = /^steady-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.jsonl\.gz$/;

/** What a killed process may have left. */
const LEFT = new RegExp(`${NAME.source.slice(0, -1)}\\.\\d+\\.partial$`);

/** What a backup of that instant is called. */
export const nameAt = (instant: Date): string =>
  `steady-${instant.toISOString().replace(/[-:]|\.\d+/g, '')}.jsonl.gz`;

function readName(name: string): Date | undefined {
  const [, year, month, day, hour, minute, second] = NAME.exec(name) ?? [];
  const madeAt = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(madeAt.getTime()) ? undefined : madeAt;
}

/** How long making one may take. */
export const FIRST_DUE_MS = 15 * 60_000;

/** With a backup every so many hours, the age in milliseconds at which the last one is overdue. */
export const overdueAfter = (everyHours: number): number => everyHours * 3_600_000 + FIRST_DUE_MS;

/** A backup in the folder. */
export interface Kept {
  file: string;
  madeAt: Date;
}

/** The folder in which the service keeps its backups. Files of any other name are left alone. */
export class BackupFolder {
  readonly path: string;

  constructor(folder: string) {
    this.path = path.resolve(folder);
  }

  file(madeAt: Date): string {
    return path.join(this.path, nameAt(madeAt));
  }

  /** Only the folder itself: those above it may be missing because a disk is not mounted. */
  async make(): Promise<void> {
    await mkdir(this.path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }

  /** Newest first. Those of the future were made by a clock that was wrong, and must not put off the next one. */
  async backups(until: Date): Promise<Kept[]> {
    const kept = (await this.names()).flatMap((name) => {
      const madeAt = readName(name);
      return madeAt && madeAt <= until ? [{ file: path.join(this.path, name), madeAt }] : [];
    });
    return kept.sort((one, other) => other.madeAt.getTime() - one.madeAt.getTime());
  }

  async removeDrafts(): Promise<void> {
    const left = (await this.names()).filter((name) => LEFT.test(name));
    for (const name of left) await rm(path.join(this.path, name), { force: true });
  }

  private async names(): Promise<string[]> {
    return readdir(this.path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
  }
}
