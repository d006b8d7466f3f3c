import { onDatabase } from './command.js';
import type { Declaration } from './usage/declaration.js';

const MIGRATE = {
  script: 'db:migrate',
  does: 'Brings the database up to date and ends. The service does the same at its start.',
  examples: [''],
  exits: { 0: 'the database is up to date', 1: 'it is not, and a line says why' },
} as const satisfies Declaration;

// Opening a database migrates it.
await onDatabase(
  MIGRATE,
  () => undefined,
  async (database) => {
    console.log(`Up to date: ${database.description}.`);
    return 0;
  },
);
