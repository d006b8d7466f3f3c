import { onDatabase, options } from './command.js';

// `npm run db:migrate`: opening a database brings it up to date.
await onDatabase(
  () => options([]),
  async (database) => {
    console.log(`Up to date: ${database.description}.`);
    return 0;
  },
);
