/** The tests of a folder of `src`, and of other folders, where they are not in `test` under the same name. */
const elsewhere: Record<string, string[]> = {
  'challenge-progress': ['test/challenges/'],
  database: ['test/database/', 'test/embedded/'],
  files: ['test/config/'],
  graphql: ['test/graphql/', 'test/live/'],
  pauses: ['test/schedules/'],
  page: ['test/page/', 'test/http/page'],
  src: ['test/apis/', 'test/service/'],
  migrations: ['test/database/database', 'test/database/sql'],
  scripts: ['test/packaging/', 'test/rest/openapi-changes', 'test/graphql/schema-changes'],
  examples: ['test/graphql/client-examples', 'test/house/clients-doc'],
  docs: ['test/house/'],
};

/** For `npm run check:quick`. */
export const testsOfRoom = (room: string): string[] => elsewhere[room] ?? [`test/${room}/`];
