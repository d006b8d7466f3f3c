import { constants, setPriority } from 'node:os';
import { writeFile, writeTo } from '../backup/file.js';
import { nameAt } from '../backup/folder.js';
import { watched } from '../backup/format.js';
import { fromDatabase } from '../backup/from-database.js';
import { readConfig } from '../config.js';
import { argumentsOf } from './arguments.js';
import { carryOut, hooks } from './command.js';
import { progress, sizeOf } from './report.js';

const HELP = `npm run backup -- [--to FILE|-]

Writes all data to one file, as it is at one moment. The service may run: it goes on serving.
The file restores into the embedded database as well as into a server: see npm run restore.
It holds password hashes, so only its owner may read it.

--to FILE|-  where to write it, - for the standard output; else to steady-<instant>.jsonl.gz in this directory

Examples:
  npm run backup
  npm run backup -- --to /mnt/other-disk/steady.jsonl.gz

Exit codes:
  0  the backup is whole, and on the disk
  1  there is none, and a line says why`;

/** The service comes first, on the processor too. */
const stepBack = () => setPriority(constants.priority.PRIORITY_LOW);

async function backup({ to }: { to?: string | undefined }): Promise<number> {
  stepBack();
  return fromDatabase(readConfig(), { ...hooks, rests: true }, async (found) => {
    const contents = watched(found, progress());
    if (to === '-') {
      await writeTo(process.stdout, contents);
      return 0;
    }
    const file = to ?? nameAt(new Date(contents.header.madeAt));
    const { counts } = await writeFile(file, contents);
    console.log(`Backed up ${sizeOf(counts)}, to ${file}.`);
    return 0;
  });
}

await carryOut(HELP, () => argumentsOf({ options: { to: { type: 'string' } } }).values, backup);
