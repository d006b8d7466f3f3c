import { model } from '../../mikro-orm.config.js';
import { readFile } from '../backup/file.js';
import { watched } from '../backup/format.js';
import { intoDatabase } from '../backup/target.js';
import { readConfig } from '../config.js';
import { knownTo } from '../database/migrations.js';
import { operand, printedHelp } from './arguments.js';
import { carryOut, hooks } from './command.js';
import { progress, restored } from './report.js';

const HELP = `npm run restore -- FILE

Brings a backup into the database of DATABASE_URL, or of DATA_DIR without it, which must hold no users.
First the whole file is checked; then it is restored completely, or not at all.
A backup of an older release is migrated.`;

async function restore(file: string): Promise<number> {
  const config = readConfig();
  const contents = await readFile(file, knownTo(model.migrations));
  const rows = watched(contents, progress(contents.trailer.counts));
  return restored(await intoDatabase(config, rows, hooks));
}

if (!printedHelp(HELP)) await carryOut(() => operand('FILE'), restore);
