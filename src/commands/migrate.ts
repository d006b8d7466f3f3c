import { options, printedHelp } from './arguments.js';
import { onDatabase } from './command.js';

const HELP = `npm run db:migrate

Brings the database up to date and ends. The service does the same at its start.`;

// Opening a database migrates it.
if (!printedHelp(HELP)) {
  await onDatabase(
    () => options([]),
    async (database) => {
      console.log(`Up to date: ${database.description}.`);
      return 0;
    },
  );
}
