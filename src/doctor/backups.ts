import { accessSync, constants, existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { BackupFolder, type Kept, LOOK_INTERVAL, overdueAfter } from '../backup/folder.js';
import type { Config } from '../config.js';
import { type Read, readNewest } from './backup-file.js';
import { inMegabytes, isOnOneDisk, roomAt } from './disk.js';
import { examined } from './examined.js';
import { type Finding, ok, warning, wrong } from './finding.js';

export const ABOUT_BACKUPS = 'backups';
const DISK = 'disk of BACKUP_DIR';

const HOUR = 3_600_000;

/** A new backup needs room beside the last one, and may be larger. */
const TIMES_AS_LARGE = 2;

/** `bornAt`: when the database was made, as far as that can be told. */
export async function backupFindings(
  config: Config,
  now: Date,
  bornAt: Date | undefined,
): Promise<Finding[]> {
  const { backupDir } = config;
  if (backupDir === undefined) {
    return [
      warning(
        ABOUT_BACKUPS,
        'BACKUP_DIR is not set: the service makes none by itself',
        'Set BACKUP_DIR to a folder on another disk, unless something else runs npm run backup.',
      ),
    ];
  }
  const folder = path.resolve(backupDir);
  const obstacle = obstacleTo(folder);
  if (obstacle) return [obstacle];
  const kept = await new BackupFolder(folder).backups(now);
  const read = await readNewest(kept);
  const newest = read.good;
  return [
    ...read.faults,
    ageFinding(config, { read, now, bornAt }),
    ...(await examined(DISK, () => placeFindings(config, folder, newest))),
  ];
}

/** In milliseconds: what a look at the folder may take. */
const LOOK = 15_000;

/** Whether the folder has a backup of which a process of the service may not know yet, as another has just made it. */
export async function isNewToService({ backupDir }: Config, now: Date): Promise<boolean> {
  if (backupDir === undefined) return false;
  const kept = await new BackupFolder(backupDir).backups(now);
  const [newest] = kept;
  return (
    newest !== undefined && now.getTime() - (await stat(newest.file)).mtimeMs < LOOK_INTERVAL.keeper + LOOK
  );
}

/** The service makes the last folder of the path, and none above it: a disk may not be mounted. */
function obstacleTo(folder: string): Finding | undefined {
  const isMissing = !existsSync(folder);
  if (isMissing && !existsSync(path.dirname(folder))) {
    return wrong(
      ABOUT_BACKUPS,
      `the folder above BACKUP_DIR ${folder} is not there`,
      'Mount its disk, or make that folder: the service makes only the last folder of the path.',
    );
  }
  try {
    accessSync(isMissing ? path.dirname(folder) : folder, constants.W_OK | constants.X_OK);
    return undefined;
  } catch {
    const fix = 'Give the folder to the account that runs the service.';
    return wrong(ABOUT_BACKUPS, `nothing can be written to BACKUP_DIR ${folder} by this account`, fix);
  }
}

interface Ages {
  read: Read;
  now: Date;
  bornAt: Date | undefined;
}

function ageFinding({ backupEvery }: Config, { read, now, bornAt }: Ages): Finding {
  const newest = read.good;
  const allowed = overdueAfter(backupEvery);
  const ageOf = (instant: Date | undefined) => (instant ? now.getTime() - instant.getTime() : 0);
  const fix = 'Look for "backup" in the log of the service, and see that it runs with this BACKUP_DIR.';
  if (newest) {
    const age = ageOf(newest.madeAt);
    const message = `the last good one is ${inHours(age)} old (${read.checked}): ${newest.file}`;
    return age > allowed
      ? wrong(ABOUT_BACKUPS, `${message}; one is due every ${backupEvery} h`, fix)
      : ok(ABOUT_BACKUPS, message);
  }
  if (ageOf(bornAt) > allowed) {
    return wrong(ABOUT_BACKUPS, `there is none, and the database is ${inHours(ageOf(bornAt))} old`, fix);
  }
  if (read.faults.length > 0) return wrong(ABOUT_BACKUPS, 'there is no good one', fix);
  return ok(ABOUT_BACKUPS, 'there is none yet: the service makes the first one as soon as it runs');
}

const inHours = (milliseconds: number): string => `${(milliseconds / HOUR).toFixed(1)} h`;

async function placeFindings(
  { databaseUrl, dataDir }: Config,
  folder: string,
  newest: Kept | undefined,
): Promise<Finding[]> {
  const about = DISK;
  const [room, { size }] = [await roomAt(folder), newest ? await stat(newest.file) : { size: 0 }];
  const free = `${inMegabytes(room)} are free`;
  const isBeside = !databaseUrl && (await isOnOneDisk(folder, dataDir));
  return [
    room < TIMES_AS_LARGE * size
      ? wrong(
          about,
          `${free}, and the last backup takes ${inMegabytes(size)}`,
          'Make room, or lower BACKUP_KEEP.',
        )
      : ok(about, free),
    ...(isBeside
      ? [
          warning(
            about,
            'it is the disk of DATA_DIR: backups are lost with the database',
            'Choose a folder on another disk, or copy the backups away.',
          ),
        ]
      : []),
  ];
}
