import { model } from '../../mikro-orm.config.js';
import { readFile } from '../backup/file.js';
import { watched } from '../backup/format.js';
import { intoDatabase } from '../backup/into-database.js';
import { readTombstones } from '../backup/tombstones.js';
import { readConfig } from '../config.js';
import { knownTo } from '../database/migrations.js';
import { needsValue } from './arguments.js';
import { carryOut, hooks } from './command.js';
import { progress, restored } from './report.js';
import type { Declaration, Given } from './usage/declaration.js';

const RESTORE = {
  script: 'restore',
  does: `Brings a backup into the database of DATABASE_URL, or of DATA_DIR without it, which must hold no users.
First the whole file is checked; then it is restored completely, or not at all.
A backup of an older release is migrated. Accounts that were deleted since are deleted again: those in
the file deleted-accounts beside the backup, where the service with BACKUP_DIR writes them.`,
  operands: { FILE: 'the backup' },
  options: { deleted: { value: 'FILE', says: 'another file of accounts that were deleted since' } },
  examples: ['/mnt/other-disk/steady/steady-20261121T020000Z.jsonl.gz'],
  exits: {
    0: 'all is restored and verified',
    1: 'nothing is, and a line says why; or all is, but some counters were wrong before',
  },
} as const satisfies Declaration;

interface Request {
  file: string;
  deleted: string | undefined;
}

async function restore({ file, deleted }: Request): Promise<number> {
  const config = readConfig();
  const tombstones = readTombstones(file, deleted);
  const contents = await readFile(file, knownTo(model.migrations));
  const rows = watched(contents, progress(contents.trailer.counts));
  return restored(await intoDatabase(config, rows, hooks, tombstones));
}

function requestIn({ operands: [file = ''], given: { deleted } }: Given<typeof RESTORE>): Request {
  if (deleted === '') throw needsValue('deleted', RESTORE.options.deleted);
  return { file, deleted };
}

await carryOut(RESTORE, requestIn, restore);
