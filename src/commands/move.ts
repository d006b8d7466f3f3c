import { watched } from '../backup/format.js';
import { fromDatabase } from '../backup/source.js';
import { intoDatabase } from '../backup/target.js';
import { problemInUrl } from '../config/database-url.js';
import { readConfig } from '../config.js';
import { options, printedHelp, UsageError } from './arguments.js';
import { carryOut, hooks } from './command.js';
import { progress, restored } from './report.js';

const HELP = `npm run move -- --from DATA_DIR --to postgres://user:password@host/database

Copies all data from one database into another, which must hold no users. Either may be a directory
of the embedded database or the address of a server. Stop the service before: what it writes
meanwhile would stay behind. The first database is left as it is.

--from  the directory or the address to copy from
--to    the directory or the address to copy to; else the one in the environment`;

function readPlaces() {
  const { from, to } = options(['from', 'to']);
  const config = readConfig();
  const target = to ?? config.databaseUrl;
  if (!from) throw new UsageError('--from is missing');
  if (!target) throw new UsageError('--to is missing');
  const configFor = (option: string, place: string) => {
    if (!/^postgres(ql)?:/.test(place)) return { ...config, databaseUrl: undefined, dataDir: place };
    const problem = problemInUrl(place);
    if (problem) throw new UsageError(`--${option} ${problem}`);
    return { ...config, databaseUrl: place };
  };
  return { from: configFor('from', from), to: configFor('to', target) };
}

async function move({ from, to }: ReturnType<typeof readPlaces>): Promise<number> {
  return fromDatabase(from, { ...hooks, mayBeInUse: false }, async (contents) =>
    restored(await intoDatabase(to, watched(contents, progress()), hooks)),
  );
}

if (!printedHelp(HELP)) await carryOut(readPlaces, move);
