import { argumentsOf } from '../../base/commands/arguments.js';
import { onDatabase } from './command.js';

const HELP = `steady migrate

Brings the database up to date and ends. The service does the same at its start.

Examples:
  steady migrate

Exit codes:
  0  the database is up to date
  1  it is not, and a line says why`;

// Opening a database migrates it.
await onDatabase(
  HELP,
  () => argumentsOf({}),
  async (database) => {
    console.log(`Up to date: ${database.description}.`);
    return 0;
  },
);
