import { existsSync } from 'node:fs';
import path from 'node:path';
import { model } from '../../../mikro-orm.config.js';
import { argumentsOf } from '../../base/commands/arguments.js';
import type { Config } from '../../base/config.js';
import { knownTo } from '../../database/migrations.js';
import { readConfig } from '../../features/settings.js';
import { intoDatabase } from '../backup/configured-database.js';
import { readFile } from '../backup/file.js';
import { watched } from '../backup/format.js';
import { readTombstones } from '../backup/tombstones.js';
import { carryOut, hooks } from './command.js';
import { progress, restored } from './report.js';

const HELP = `steady restore FILE [--deleted FILE]

Brings a backup into the database of DATABASE_URL, or of DATA_DIR without it, which must hold no users.
First the whole file is checked; then it is restored completely, or not at all.
A backup of an older release is migrated. Accounts that were deleted since are deleted again: those in
the file deleted-accounts beside the backup, where the service with BACKUP_DIR writes them.
Reminders of the restored database ring nobody until steady reminders on. Sessions go on only with
the same JWT_SECRET, or the file jwt-secret of the former DATA_DIR.

FILE            the backup
--deleted FILE  another file of accounts that were deleted since

Examples:
  steady restore /mnt/other-disk/steady/steady-20261121T020000Z.jsonl.gz

Exit codes:
  0  all is restored and verified
  1  nothing is, and a line says why; or all is, but some counters were wrong before`;

async function restore({ file, deleted }: ReturnType<typeof requestIn>): Promise<number> {
  const config = readConfig();
  const tombstones = readTombstones(file, deleted);
  const contents = await readFile(file, knownTo(model.migrations));
  const rows = watched(contents, progress(contents.trailer.counts));
  const code = restored(await intoDatabase(config, rows, hooks, { tombstones, holdsReminders: true }));
  if (losesSessions(config))
    console.error(
      `No backup holds the secret of tokens: copy the file jwt-secret from the former DATA_DIR into ${config.dataDir}, or everybody has to log in again.`,
    );
  return code;
}

const losesSessions = ({ jwtSecret, jwtSecretFile, dataDir }: Config) =>
  !jwtSecret && !jwtSecretFile && !existsSync(path.join(dataDir, 'jwt-secret'));

function requestIn() {
  const { operands, values } = argumentsOf({ operands: ['FILE'], options: { deleted: { type: 'string' } } });
  const [file = ''] = operands;
  return { file, deleted: values.deleted };
}

await carryOut(HELP, requestIn, restore);
