import { existsSync, globSync } from 'node:fs';
import path from 'node:path';

/** A feature whose tests lie in a folder of its name says nothing of them. */
const ofFeatures = globSync('src/features/*/').flatMap((folder) => {
  const name = path.basename(folder);
  return existsSync(`test/${name}`) ? [[`src/features/${name}`, [`test/${name}/`]] as const] : [];
});

/** The tests of a folder: of the longest path here that a file is in. */
const tests: Record<string, string[]> = {
  ...Object.fromEntries(ofFeatures),
  src: ['test/apis/', 'test/service/'],
  'src/base': ['test/queues/', 'test/accounts/passwords'],
  'src/base/config': ['test/config/'],
  'src/base/files': ['test/config/'],
  'src/base/languages': ['test/languages/'],
  'src/telemetry': ['test/telemetry/'],
  'src/database': ['test/database/', 'test/embedded/'],
  'src/jobs': ['test/jobs/'],
  'src/http': ['test/http/'],
  'src/graphql': ['test/graphql/', 'test/live/'],
  'src/rest': ['test/rest/', 'test/apis/refusals'],
  'src/page': ['test/page/', 'test/http/page'],
  'src/features': ['test/apis/', 'test/export-import/export'],
  'src/features/schedules': ['test/schedules/', 'test/streaks/'],
  'src/features/account': ['test/accounts/'],
  'src/features/habits': ['test/tasks/'],
  'src/features/history/completions': ['test/completions/'],
  'src/features/history/streaks': ['test/streaks/'],
  'src/features/history/calendar': ['test/calendar/'],
  'src/features/history/pauses': ['test/pauses/', 'test/schedules/'],
  'src/features/history/challenge-progress': ['test/challenges/'],
  'src/features/reminders/channels': ['test/channels/'],
  'src/operation': ['test/service/', 'test/startup/'],
  'src/operation/backup': ['test/backup/'],
  'src/operation/commands': ['test/commands/'],
  'src/operation/doctor': ['test/doctor/'],
  migrations: ['test/database/database', 'test/database/sql'],
  bin: ['test/packaging/release', 'test/commands/commands'],
  scripts: ['test/packaging/'],
  'packages/client': ['test/client/'],
  examples: ['test/graphql/client-examples', 'test/house/clients-doc'],
  docs: ['test/house/'],
};

export const rooms = Object.keys(tests);

/** What is entered or stored is also exported and imported. */
const TAKEN_ALONG = /^src\/features\/.*\.(entity|input)\.ts$/;

const EXPORT = 'test/export-import/export';

/** How a feature is brought in again. */
const CARRIED = /^src\/features\/.*\/(carried|file-shape)\.ts$/;

const areThere = (prefix: string) => globSync(`${prefix}*.test.ts`).length > 0;

export const testsOfRoom = (room: string): string[] => tests[room] ?? [`${room}/`];

/** What `npm run check:quick` runs for a file that changed: its own test where it has one, or those of its folder. */
export function testsOf(file: string): string[] {
  const own = file.replace(/\/__snapshots__\/(.+)\.snap$/, '/$1');
  if (/^test\/.*\.test\.ts$/.test(own)) return existsSync(own) ? [own] : [];
  const room = rooms.filter((each) => file.startsWith(`${each}/`)).sort((a, b) => b.length - a.length)[0];
  const [folder] = /^test\/[^/]+/.exec(file) ?? [];
  const found = testsOfRoom(room ?? folder ?? file);
  return [
    ...found,
    ...(TAKEN_ALONG.test(file) ? [EXPORT] : []),
    ...(CARRIED.test(file) ? ['test/export-import/'] : []),
  ].filter(areThere);
}
