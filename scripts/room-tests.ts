import { existsSync, globSync } from 'node:fs';

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
  scripts: ['test/packaging/'],
  examples: ['test/graphql/client-examples', 'test/house/clients-doc'],
  docs: ['test/house/'],
};

export const testsOfRoom = (room: string): string[] => elsewhere[room] ?? [`test/${room}/`];

/** What `npm run check:quick` runs for a file that changed: its own test where it has one, or those of its folder. */
export function testsOf(file: string): string[] {
  const own = file.replace(/\/__snapshots__\/(.+)\.snap$/, '/$1');
  if (/^test\/.*\.test\.ts$/.test(own)) return existsSync(own) ? [own] : [];
  const [top = '', room = '', ...below] = file.split('/');
  const isInRoom = (top === 'src' || top === 'test') && below.length > 0;
  return testsOfRoom(isInRoom ? room : top).filter((tests) => globSync(`${tests}*.test.ts`).length > 0);
}
