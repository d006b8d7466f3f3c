import { model } from '../../mikro-orm.config.js';
import { readConfig } from '../config.js';
import type { Database } from '../database/database.js';
import { DistributionError, distribute, distributionOf } from '../database/distributed/distribute.js';
import { onDatabase } from './command.js';
import type { Declaration } from './usage/declaration.js';

const DISTRIBUTE = {
  script: 'db:distribute',
  does: `Distributes a database with the extension Citus by user, with all that is in it, in one transaction.
Writes wait meanwhile. What is distributed already stays as it is.`,
  options: { 'dry-run': { says: 'prints the statements, and changes nothing' } },
  examples: ['--dry-run', ''],
  exits: { 0: 'the database is distributed', 1: 'it is as it was, and a line says why' },
} as const satisfies Declaration;

async function distributeAll(database: Database, isDryRun: boolean): Promise<number> {
  if (readConfig().databaseUrl === undefined)
    throw new DistributionError(
      'The embedded database is one process. Move it to a server with Citus first: npm run move.',
    );
  const query = database.query();
  const plan = await distributionOf(query, model.layout);
  if (plan.statements.length === 0) {
    console.log(`Distributed already: ${database.description}.`);
    return 0;
  }
  if (isDryRun) {
    const all = ['begin', ...plan.statements, 'commit', ...plan.afterwards];
    console.log(all.map((each) => `${each};`).join('\n'));
    return 0;
  }
  await distribute(query, plan);
  console.log(`Distributed by user: ${database.description}.`);
  return 0;
}

await onDatabase(DISTRIBUTE, ({ given }) => given['dry-run'], distributeAll);
