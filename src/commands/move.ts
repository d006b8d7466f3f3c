import { fromDatabase, intoDatabase } from '../backup/configured-database.js';
import { watched } from '../backup/format.js';
import { problemInUrl } from '../config/database-url.js';
import { readConfig } from '../config.js';
import { argumentsOf, UsageError } from './arguments.js';
import { carryOut, hooks } from './command.js';
import { progress, restored } from './report.js';

const HELP = `npm run move -- --from DATA_DIR [--to postgres://…]

Copies all data from one database into another, which must hold no users. Either may be a directory
of the embedded database or the address of a server. Stop the service before: what it writes
meanwhile would stay behind. The first database is left as it is.

--from DATA_DIR    the directory or the address to copy from
--to postgres://…  the directory or the address to copy to; else DATABASE_URL of the environment

Examples:
  npm run move -- --from .data --to postgres://steady:password@db.example.com/steady

Exit codes:
  0  all is copied and verified
  1  nothing is, and a line says why; or all is, but some counters were wrong before`;

/** The addresses of the environment belong together: no other database has one of them. */
const NO_SERVER = { databaseUrl: undefined, databaseDirectUrl: undefined };

function placesIn() {
  const { from, to } = argumentsOf({ options: { from: { type: 'string' }, to: { type: 'string' } } }).values;
  if (from === undefined) throw new UsageError('--from is missing');
  const config = readConfig();
  const target = to ?? config.databaseUrl;
  if (!target) throw new UsageError('--to is missing');
  const configFor = (option: string, place: string) => {
    const [scheme] = /^[a-z][a-z\d+.-]*:\/\//i.exec(place) ?? [];
    if (!/^postgres(ql)?:/.test(place)) {
      if (scheme)
        throw new UsageError(
          `--${option} begins with ${scheme}, but must be a directory or begin with postgres://`,
        );
      return { ...config, ...NO_SERVER, dataDir: place };
    }
    const problem = problemInUrl(place);
    if (problem) throw new UsageError(`--${option} ${problem}`);
    return place === config.databaseUrl ? config : { ...config, ...NO_SERVER, databaseUrl: place };
  };
  return { from: configFor('from', from), to: configFor('to', target) };
}

async function move({ from, to }: ReturnType<typeof placesIn>): Promise<number> {
  return fromDatabase(from, { ...hooks, embedded: 'alone' }, async (contents) =>
    restored(await intoDatabase(to, watched(contents, progress()), hooks)),
  );
}

await carryOut(HELP, placesIn, move);
