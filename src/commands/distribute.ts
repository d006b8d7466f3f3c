import { sql } from 'kysely';
import { readConfig } from '../config.js';
import type { Database } from '../database/database.js';
import { clearing, DistributionError, distributionOf } from '../database/distribution.js';
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

async function distribute(database: Database, isDryRun: boolean): Promise<number> {
  if (readConfig().databaseUrl === undefined)
    throw new DistributionError(
      'The embedded database is one process. Move it to a server with Citus first: npm run move.',
    );
  const query = database.query();
  const statements = await distributionOf(query);
  if (statements.length === 0) {
    console.log(`Distributed already: ${database.description}.`);
    return 0;
  }
  const after = clearing(statements);
  if (isDryRun) {
    console.log(
      [['begin', ...statements, 'commit'], after]
        .flat()
        .map((each) => `${each};`)
        .join('\n'),
    );
    return 0;
  }
  await query.transaction().execute(async (transaction) => {
    for (const statement of statements) await sql.raw(statement).execute(transaction);
  });
  for (const statement of after) await sql.raw(statement).execute(query);
  console.log(`Distributed by user: ${database.description}.`);
  return 0;
}

await onDatabase(DISTRIBUTE, ({ given }) => given['dry-run'], distribute);
