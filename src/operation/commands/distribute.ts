import { argumentsOf } from '../../base/commands/arguments.js';
import type { Database } from '../../database/database.js';
import { DistributionError, distribute, distributionOf } from '../../database/distributed/distribute.js';
import { layoutOf } from '../../database/distributed/layout.js';
import { readConfig } from '../../features/settings.js';
import { onDatabase } from './command.js';

const HELP = `steady distribute [--dry-run]

Distributes a database with the extension Citus by user, with all that is in it, in one transaction.
Writes wait meanwhile. What is distributed already stays as it is.

--dry-run  prints the statements, and changes nothing

Examples:
  steady distribute --dry-run
  steady distribute

Exit codes:
  0  the database is distributed
  1  it is as it was, and a line says why`;

async function distributeAll(database: Database, isDryRun: boolean): Promise<number> {
  if (readConfig().databaseUrl === undefined)
    throw new DistributionError(
      'The embedded database is one server. Bring it to a server with Citus first: steady backup, and steady restore there.',
    );
  const query = database.query();
  const distribution = await distributionOf(query, layoutOf(database.orm));
  if (distribution.statements.length === 0) {
    console.log(`Distributed already: ${database.description}.`);
    return 0;
  }
  if (isDryRun) {
    const all = ['begin', ...distribution.statements, 'commit', ...distribution.afterwards];
    console.log(all.map((each) => `${each};`).join('\n'));
    return 0;
  }
  await distribute(query, distribution);
  console.log(`Distributed by user: ${database.description}.`);
  return 0;
}

await onDatabase(
  HELP,
  () => argumentsOf({ options: { 'dry-run': { type: 'boolean' } } }).values['dry-run'] === true,
  distributeAll,
);
