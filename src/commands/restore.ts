import { model } from '../../mikro-orm.config.js';
import { readFile } from '../backup/file.js';
import { watched } from '../backup/format.js';
import { intoDatabase } from '../backup/target.js';
import { readTombstones } from '../backup/tombstones.js';
import { readConfig } from '../config.js';
import { knownTo } from '../database/migrations.js';
import { operandAnd, printedHelp } from './arguments.js';
import { carryOut, hooks } from './command.js';
import { progress, restored } from './report.js';

const HELP = `npm run restore -- FILE [--deleted FILE]

Brings a backup into the database of DATABASE_URL, or of DATA_DIR without it, which must hold no users.
First the whole file is checked; then it is restored completely, or not at all.
A backup of an older release is migrated. Accounts that were deleted since are deleted again: those in
the file deleted-accounts beside the backup, where the service with BACKUP_DIR writes them.

--deleted  another file of that kind`;

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

function readRequest(): Request {
  const { operand: file, given } = operandAnd('FILE', ['deleted']);
  return { file, deleted: given.deleted };
}

if (!printedHelp(HELP)) await carryOut(readRequest, restore);
