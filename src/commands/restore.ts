import { model } from '../../mikro-orm.config.js';
import { intoDatabase } from '../backup/configured-database.js';
import { readFile } from '../backup/file.js';
import { watched } from '../backup/format.js';
import { readTombstones } from '../backup/tombstones.js';
import { readConfig } from '../config.js';
import { knownTo } from '../database/migrations.js';
import { argumentsOf } from './arguments.js';
import { carryOut, hooks } from './command.js';
import { progress, restored } from './report.js';

const HELP = `npm run restore -- FILE [--deleted FILE]

Brings a backup into the database of DATABASE_URL, or of DATA_DIR without it, which must hold no users.
First the whole file is checked; then it is restored completely, or not at all.
A backup of an older release is migrated. Accounts that were deleted since are deleted again: those in
the file deleted-accounts beside the backup, where the service with BACKUP_DIR writes them.
Reminders of the restored database ring nobody until npm run reminders -- on.

FILE            the backup
--deleted FILE  another file of accounts that were deleted since

Examples:
  npm run restore -- /mnt/other-disk/steady/steady-20261121T020000Z.jsonl.gz

Exit codes:
  0  all is restored and verified
  1  nothing is, and a line says why; or all is, but some counters were wrong before`;

async function restore({ file, deleted }: ReturnType<typeof requestIn>): Promise<number> {
  const config = readConfig();
  const tombstones = readTombstones(file, deleted);
  const contents = await readFile(file, knownTo(model.migrations));
  const rows = watched(contents, progress(contents.trailer.counts));
  return restored(await intoDatabase(config, rows, hooks, { tombstones, holdsReminders: true }));
}

function requestIn() {
  const { operands, values } = argumentsOf({ operands: ['FILE'], options: { deleted: { type: 'string' } } });
  const [file = ''] = operands;
  return { file, deleted: values.deleted };
}

await carryOut(HELP, requestIn, restore);
