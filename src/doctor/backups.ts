import { accessSync, constants, existsSync } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { type Kysely, sql } from 'kysely';
import { BackupFolder, type Kept, overdueAfter } from '../backup/folder.js';
import type { Config } from '../config.js';
import { appliedTo } from '../database/migrations.js';
import { type Finding, ok, warning, wrong } from './finding.js';

export const BACKUPS = 'backups';
const MEGABYTE = 2 ** 20;

export async function backupFindings(config: Config, query: Kysely<unknown>, now: Date): Promise<Finding[]> {
  const { backupDir } = config;
  if (backupDir === undefined) {
    return [
      warning(
        BACKUPS,
        'BACKUP_DIR is not set: the service makes none by itself',
        'Set BACKUP_DIR to a folder on another disk, unless something else runs npm run backup.',
      ),
    ];
  }
  const folder = path.resolve(backupDir);
  const obstacle = obstacleTo(folder);
  if (obstacle) return [obstacle];
  const [newest] = await new BackupFolder(folder).backups(now);
  return [
    await ageFinding(config, query, newest, now),
    await roomFinding(query, folder, newest),
    ...(await placeFinding(config, folder)),
  ];
}

/** The service makes the last folder of the path, and none above it: a disk may not be mounted. */
function obstacleTo(folder: string): Finding | undefined {
  const isMissing = !existsSync(folder);
  if (isMissing && !existsSync(path.dirname(folder))) {
    return wrong(
      BACKUPS,
      `the folder above BACKUP_DIR ${folder} is not there`,
      'Mount its disk, or make that folder: the service makes only the last folder of the path.',
    );
  }
  try {
    accessSync(isMissing ? path.dirname(folder) : folder, constants.W_OK | constants.X_OK);
    return undefined;
  } catch {
    const fix = 'Give the folder to the account that runs the service.';
    return wrong(BACKUPS, `nothing can be written to BACKUP_DIR ${folder} by this account`, fix);
  }
}

async function ageFinding(
  { backupEvery }: Config,
  query: Kysely<unknown>,
  newest: Kept | undefined,
  now: Date,
): Promise<Finding> {
  const since = newest?.madeAt ?? (await bornAt(query)) ?? now;
  const age = now.getTime() - since.getTime();
  const hours = `${(age / 3_600_000).toFixed(1)} h`;
  const fix = 'Look for "backup" in the log of the service, and see that it runs with this BACKUP_DIR.';
  const isOverdue = age > overdueAfter(backupEvery);
  if (!newest) {
    return isOverdue
      ? wrong(BACKUPS, `there is none, and the database is ${hours} old`, fix)
      : ok(BACKUPS, 'there is none yet: the service makes the first one as soon as it runs');
  }
  const message = `the last one is ${hours} old: ${newest.file}`;
  return isOverdue
    ? wrong(BACKUPS, `${message}; one is due every ${backupEvery} h`, fix)
    : ok(BACKUPS, message);
}

/** When the database was made: its first migration. */
async function bornAt(query: Kysely<unknown>): Promise<Date | undefined> {
  if ((await appliedTo(query)).length === 0) return undefined;
  const { rows } = await sql<{ at: Date | null }>`
    select min(executed_at) as at from mikro_orm_migrations`.execute(query);
  return rows[0]?.at ?? undefined;
}

/** A new backup needs room beside the last one, and may be larger. */
const TIMES_AS_LARGE = 2;

/** Before the first one: packed, it takes about a twentieth of the database. */
const SHARE_OF_DATABASE = 0.1;
const LEAST_BYTES = 64 * MEGABYTE;

async function roomFinding(
  query: Kysely<unknown>,
  folder: string,
  newest: Kept | undefined,
): Promise<Finding> {
  const about = 'disk of BACKUP_DIR';
  const room = await roomAt(folder);
  const free = `${inMegabytes(room)} are free`;
  const fix = 'Make room, or lower BACKUP_KEEP.';
  if (newest) {
    const { size } = await stat(newest.file);
    return room < TIMES_AS_LARGE * size
      ? wrong(about, `${free}, and the last backup takes ${inMegabytes(size)}`, fix)
      : ok(about, free);
  }
  const { rows } = await sql<{ bytes: string }>`
    select pg_database_size(current_database())::text as bytes`.execute(query);
  const bytes = Number(rows[0]?.bytes ?? 0);
  return room < Math.max(LEAST_BYTES, SHARE_OF_DATABASE * bytes)
    ? wrong(about, `${free}, and the database takes ${inMegabytes(bytes)}`, fix)
    : ok(about, free);
}

async function placeFinding({ databaseUrl, dataDir }: Config, folder: string): Promise<Finding[]> {
  if (databaseUrl || !(await isOnOneDisk(folder, dataDir))) return [];
  return [
    warning(
      'disk of BACKUP_DIR',
      'it is the disk of DATA_DIR: backups are lost with the database',
      'Choose a folder on another disk, or copy the backups away.',
    ),
  ];
}

/** What a new database and its first hour take. */
const FEW_BYTES = 100 * MEGABYTE;
const SCARCE_BYTES = 300 * MEGABYTE;

/** Looks at the disk below an embedded database. */
export async function dataDiskFinding(folder: string): Promise<Finding> {
  const about = 'disk of DATA_DIR';
  const room = await roomAt(folder);
  const free = `${inMegabytes(room)} are free`;
  const fix = 'Make room on the disk, or move DATA_DIR to a larger one while the service is stopped.';
  if (room < FEW_BYTES) return wrong(about, `${free}: nothing can be written once there is none`, fix);
  return room < SCARCE_BYTES ? warning(about, free, fix) : ok(about, free);
}

/** The folder itself, or the nearest one above it that is there. */
function placeOf(folder: string): string {
  let place = path.resolve(folder);
  while (!existsSync(place)) place = path.dirname(place);
  return place;
}

async function roomAt(folder: string): Promise<number> {
  const { bavail, bsize, blocks } = await statfs(placeOf(folder));
  return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize; // some file systems report no sizes
}

const isOnOneDisk = async (one: string, other: string): Promise<boolean> =>
  (await stat(placeOf(one))).dev === (await stat(placeOf(other))).dev;

const inMegabytes = (bytes: number): string =>
  Number.isFinite(bytes) ? `${Math.floor(bytes / MEGABYTE).toLocaleString('en')} MB` : 'room of unknown size';
