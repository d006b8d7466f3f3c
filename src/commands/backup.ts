import { writeFile, writeTo } from '../backup/file.js';
import { nameAt } from '../backup/folder.js';
import { watched } from '../backup/format.js';
import { fromDatabase } from '../backup/source.js';
import { readConfig } from '../config.js';
import { options, printedHelp } from './arguments.js';
import { carryOut, hooks } from './command.js';
import { progress, sizeOf } from './report.js';

const HELP = `npm run backup -- [--to FILE|-]

Writes all data to one file, as it is at one moment. The service may run: it goes on serving.
The file restores into the embedded database as well as into a server: see npm run restore.
It holds password hashes, so only its owner may read it.

--to FILE  where to write it; else to steady-<instant>.jsonl.gz in this directory
--to -     to the standard output`;

async function backup({ to }: { to?: string }): Promise<number> {
  return fromDatabase(readConfig(), { ...hooks, mayBeInUse: true }, async (found) => {
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

if (!printedHelp(HELP)) await carryOut(() => options(['to']), backup);
