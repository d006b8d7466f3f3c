import { accessSync, constants, existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { type Kysely, sql } from 'kysely';
import { diskOf, inMegabytes, MEGABYTE, roomAt } from '../../base/files/disk.js';
import { type Check, type Finding, ok, warning, wrong } from '../../base/finding.js';
import { appliedTo } from '../../database/migrations.js';
import type { Examined } from '../../feature.js';
import { BackupFolder, overdueAfter } from './folder.js';
import { isOfAnother, newestOwn } from './origin.js';

export const BACKUPS = 'backups';

export const checksOfBackups: Check<Examined>[] = [
  { about: BACKUPS, look: ageFindings },
  { about: 'disk of BACKUP_DIR', look: roomFindings },
];

/** The service makes the last folder of the path, and none above it: a disk may not be mounted. */
function obstacleTo(folder: string): Finding | undefined {
  const place = existsSync(folder) ? folder : path.dirname(folder);
  if (!existsSync(place)) {
    const fix = 'Mount its disk, or make that folder: the service makes only the last folder of the path.';
    return wrong(`the folder above BACKUP_DIR ${folder} is not there`, fix);
  }
  try {
    accessSync(place, constants.W_OK | constants.X_OK);
    return undefined;
  } catch {
    const fix = 'Give the folder to the account that runs the service.';
    return wrong(`nothing can be written to BACKUP_DIR ${folder} by this account`, fix);
  }
}

async function ageFindings({ config, query, clock }: Examined): Promise<Finding | Finding[]> {
  const { backupDir, backupEvery } = config;
  if (backupDir === undefined) {
    const fix = 'Set BACKUP_DIR to a folder on another disk, unless something else runs steady backup.';
    return warning('BACKUP_DIR is not set: the service makes none by itself', fix);
  }
  const obstacle = obstacleTo(path.resolve(backupDir));
  if (obstacle) return obstacle;
  const now = clock.now();
  const all = await new BackupFolder(backupDir).backups(now);
  const [newest] = all;
  const own = await newestOwn(all, ({ file }) => isOfAnother(query, file));
  const since = own?.madeAt ?? (await bornAt(query)) ?? now;
  const age = now.getTime() - since.getTime();
  const hours = `${(age / 3_600_000).toFixed(1)} h`;
  const fix = 'Look for "backup" in the log of the service, and see that it runs with this BACKUP_DIR.';
  const isOverdue = age > overdueAfter(backupEvery);
  if (!newest && isOverdue) return wrong(`there is none, and the database is ${hours} old`, fix);
  if (!newest) return ok('there is none yet: the service makes the first one as soon as it runs');
  const fixOfStranger = 'Give each database a folder of its own as BACKUP_DIR.';
  if (!own) return wrong(`the last one is of another database: ${newest.file}`, fixOfStranger);
  const message = `the last one is ${hours} old: ${own.file}`;
  const ofAge = isOverdue ? wrong(`${message}; one is due every ${backupEvery} h`, fix) : ok(message);
  if (own === newest) return ofAge;
  return [ofAge, warning(`a newer file is of another database: ${newest.file}`, fixOfStranger)];
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

async function roomFindings({ config, query, clock }: Examined): Promise<Finding[]> {
  const { backupDir, databaseUrl, dataDir } = config;
  if (backupDir === undefined || obstacleTo(path.resolve(backupDir))) return [];
  const [newest] = await new BackupFolder(backupDir).backups(clock.now());
  const bytes = newest ? (await stat(newest.file)).size : await sizeOf(query);
  const needed = newest ? TIMES_AS_LARGE * bytes : Math.max(LEAST_BYTES, SHARE_OF_DATABASE * bytes);
  const room = await roomAt(backupDir);
  const free = `${inMegabytes(room)} are free`;
  const taken = `${free}, and the ${newest ? 'last backup' : 'database'} takes ${inMegabytes(bytes)}`;
  const isBeside = !databaseUrl && (await diskOf(backupDir)) === (await diskOf(dataDir));
  const beside = 'it is the disk of DATA_DIR: backups are lost with the database';
  return [
    room < needed ? wrong(taken, 'Make room, or lower BACKUP_KEEP.') : ok(free),
    ...(isBeside ? [warning(beside, 'Choose a folder on another disk, or copy the backups away.')] : []),
  ];
}

async function sizeOf(query: Kysely<unknown>): Promise<number> {
  const { rows } = await sql<{ bytes: string }>`
    select pg_database_size(current_database())::text as bytes`.execute(query);
  return Number(rows[0]?.bytes ?? 0);
}
