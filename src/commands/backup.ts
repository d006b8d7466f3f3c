import { writeFile, writeTo } from '../backup/file.js';
import type { Contents } from '../backup/format.js';
import { fromDatabase } from '../backup/source.js';
import { readConfig } from '../config.js';
import { options, printedHelp } from './arguments.js';
import { carryOut, hooks } from './command.js';
import { inWords, progress, rowsOf } from './report.js';

const HELP = `npm run backup -- [--to FILE|-]

Writes all data to one file, as it is at one moment. The service may run: it goes on serving.
The file restores into the embedded database as well as into a server: see npm run restore.
It holds password hashes, so only its owner may read it.

--to FILE  where to write it; else to steady-<instant>.jsonl.gz in this directory
--to -     to the standard output`;

const nameFor = ({ header }: Contents) => `steady-${header.madeAt.replace(/[-:]|\.\d+/g, '')}.jsonl.gz`;

async function backup({ to }: { to?: string }): Promise<number> {
  return fromDatabase(readConfig(), { ...hooks, mayBeInUse: true }, async (contents) => {
    if (to === '-') {
      await writeTo(process.stdout, contents, progress());
      return 0;
    }
    const file = to ?? nameFor(contents);
    const { counts } = await writeFile(file, contents, progress());
    console.log(
      `Backed up ${inWords(counts.users ?? 0)} users, ${inWords(rowsOf(counts))} rows, to ${file}.`,
    );
    return 0;
  });
}

if (!printedHelp(HELP)) await carryOut(() => options(['to']), backup);
