import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { rooms, testsOf, testsOfRoom } from '../../scripts/room-tests.js';

const inBrowsers = ['src/graphql/playground/**', 'src/page/client/**', 'src/page/worker/**'];

const sources = globSync('src/**/*.ts', { exclude: inBrowsers }).sort();

const importsOf = (file: string) =>
  [...readFileSync(file, 'utf8').matchAll(/from '([^']+)'|import '([^']+)'/g)].map(([, from, bare]) => {
    const name = from ?? bare ?? '';
    return name.startsWith('.') ? path.normalize(path.join(path.dirname(file), name)) : name;
  });

/** In the order in which `features.ts` lists them: a feature imports from those before it. */
function featuresInOrder(): string[] {
  const text = readFileSync('src/features.ts', 'utf8');
  const [, list = ''] = /^export const features = \[([^;]+)\];/m.exec(text) ?? [];
  return [...list.matchAll(/\w+/g)].map(
    ([name]) =>
      new RegExp(`import \\{[^}]*\\b${name}\\b[^}]*\\} from '\\./(.+)/feature\\.js'`).exec(text)?.[1] ?? name,
  );
}

const features = ['features/schedules', ...featuresInOrder()];

const database = ['server', 'embedded', 'distributed', 'announcements', 'pool'].map(
  (name) => `database/${name}`,
);

/** Not a package. */
const isOurs = (name: string) => /^(src|migrations)\//.test(name);

/** The longest of these that a file is in, or its folder in `src`. Files of `src` itself, and the list of settings, are in no room. */
const roomOf = (file: string) =>
  [...features, ...database].find((room) => file.startsWith(`src/${room}/`)) ??
  /^src\/(?!features\/)([^/]+)\//.exec(file)?.[1] ??
  '';

/** What every feature may stand on. */
const machinery = ['base', 'telemetry', 'database', ...database, 'jobs', 'http', 'graphql', 'rest'];

/** What a room may import from, besides itself. */
const allowed: Record<string, string[]> = {
  base: ['telemetry'],
  telemetry: ['base'],
  database: ['base', 'database/announcements', 'database/distributed'],
  'database/distributed': ['base', 'database'],
  'database/server': ['base', 'database', 'database/distributed', 'database/pool', 'telemetry'],
  'database/embedded': ['base'],
  'database/pool': ['base', 'database', 'database/distributed', 'telemetry'],
  'database/announcements': ['base', 'database'],
  jobs: ['base', 'database', 'database/announcements'],
  http: ['base', 'telemetry'],
  graphql: ['base', 'database', 'http', 'telemetry'],
  rest: ['base', 'database', 'http', 'telemetry'],
  page: ['base', 'http', 'telemetry'],
  ...Object.fromEntries(
    features.map((feature, place) => [feature, [...machinery, '', ...features.slice(0, place)]]),
  ),
  operation: [...machinery, ...features, ''],
};

/** Whether rows are spread, by one of our words or by a table of Citus. */
const ASKS_FOR_NODES = /ManyNodes|\bnodesOf\b|isDistributed|\bpg_dist|citus\./;

describe('The tests', () => {
  it('are known to check:quick for every folder of the sources, and are there', () => {
    const unknown = [...globSync('src/*/'), ...globSync('src/{features,operation,features/history}/*/')]
      .map((folder) => folder.replace(/\/$/, ''))
      .filter((folder) => !rooms.some((room) => room === folder || room.startsWith(`${folder}/`)))
      .filter((folder) => !/\/(texts|service|startup)$/.test(folder));
    expect(unknown).toEqual([]);
    const missing = rooms.flatMap(testsOfRoom).filter((tests) => globSync(`${tests}*.test.ts`).length === 0);
    expect(missing).toEqual([]);
  });

  it('of a changed snapshot are its own, in check:quick, and not those of its folder', () => {
    expect(testsOf('test/database/__snapshots__/sql.test.ts.snap')).toEqual(['test/database/sql.test.ts']);
    expect(testsOf('src/features/habits/carried.ts')).toEqual(['test/tasks/', 'test/export-import/']);
    expect(testsOf('test/support/world.ts')).toEqual([]);
  });
});

describe('The source code', () => {
  it('has a row of allowed imports for every folder', () => {
    expect([...new Set(sources.map(roomOf))].filter(Boolean).sort()).toEqual(Object.keys(allowed).sort());
  });

  it.each(Object.entries(allowed))('lets %s import only from what lies below it', (room, below) => {
    const files = sources.filter((file) => roomOf(file) === room);
    const reached = new Set(files.flatMap(importsOf).filter(isOurs).map(roomOf));
    const may = [room, ...below];
    expect([...reached].filter((other) => !may.includes(other))).toEqual([]);
  });

  it('has two heights: machinery that knows no feature, and features that know those before them', async () => {
    const { features: listed } = await import('../../src/features.js');
    expect(listed).toHaveLength(features.length - 1); // the rule of which day counts has nothing to declare
    expect(
      globSync('src/features/*/')
        .map((folder) => folder.replace(/^src\/|\/$/g, ''))
        .sort(),
    ).toEqual([...features].sort());
  });

  it('knows of Citus in one room: two places outside ask whether there are many nodes', () => {
    const outside = sources.filter((file) => !file.startsWith('src/database/distributed/'));
    const passingOn = ['src/database/backend.ts', 'src/database/database.ts'];
    const asking = outside.filter((file) => ASKS_FOR_NODES.test(readFileSync(file, 'utf8')));
    expect(asking.filter((file) => !passingOn.includes(file)).length).toBeLessThanOrEqual(2);
  });

  it('leaves the scope of a request in one way, wherever a timer may begin in one', () => {
    const read = new Map(sources.map((file) => [file, readFileSync(file, 'utf8')]));
    const filesWith = (pattern: RegExp) => sources.filter((file) => pattern.test(read.get(file) ?? ''));
    const ofProcess = [
      ...['database/server/listen', 'operation/service/ending', 'operation/service/workers'],
    ];
    const ofRequest = [
      ...['base/queues/fair-semaphore', 'features/export-import/import-file'],
      ...['http/admission', 'http/body'],
    ];
    const askNoDatabase = [
      ...['base/clock', 'graphql/live/messages', 'graphql/live/websocket', 'graphql/live/event-stream'],
      'http/server',
      ...['operation/service/metrics-of-workers', 'telemetry/log', 'telemetry/trail'],
    ];
    const known = [...ofProcess, ...ofRequest, ...askNoDatabase].map((name) => `src/${name}.ts`);
    const withTimers = filesWith(/\bset(Timeout|Interval)\(|topics\.\w+\.follow\(/);
    const leaving = filesWith(/\binBackground\(/);
    const others = withTimers.filter(
      (file) => !leaving.includes(file) && !/^src\/features\/[\w-]+\/topics\.ts$/.test(file),
    );
    expect(others.sort()).toEqual(known.sort());
  });
});

const everywhere = /./;
const ofServices = /\.(service|queries|job)\.ts$/;

it.each<[rule: string, where: RegExp, never: RegExp, save?: string[]]>([
  ['The time is read in one place', everywhere, /new Date\(\)|Date\.now\(\)/, ['src/base/clock.ts']],
  ['The scope of a request is left in one place', everywhere, /\.snapshot\(\)/, ['src/base/request.ts']],
  [
    'No service knows the scope of a request, which the database looks after',
    ofServices,
    /base\/request\.js'/,
  ],
  [
    'No service, nor what it stands on, knows HTTP or GraphQL',
    /\.(service|queries|job)\.ts$|src\/database\/|src\/base\/(errors|validation)/,
    / from '(express|graphql|type-graphql|@apollo\/|@as-integrations\/|node:http|(\.\.\/)+(graphql|rest)\/)/,
  ],
  [
    'Rows with secrets are written past the entity manager, which puts values into the text of its statements',
    everywhere,
    /\.(create|find\w*|getReference|persist|upsert\w*|insert\w*|native\w+)\((User|ApiToken|AccountLink|CalendarFeed|Channel|CheckInLink|Identity|OidcExchange|Mail|StoredValue)\b/,
  ],
  [
    'No answer has a getter: who copies it would begin to read what nobody asks for',
    /\.(resolver|payloads)\.ts$/,
    /^\s+get \w+\(\) \{/m,
  ],
  [
    'No limit is written into a description by hand',
    everywhere,
    /description:\s*(['"])(?:(?!\1).)*\b(at most|at least|to|for) \d/,
  ],
])('%s', (_rule, where, never, save = []) => {
  const files = sources.filter((file) => where.test(file));
  expect(files.length).toBeGreaterThan(10);
  expect(files.filter((file) => never.test(readFileSync(file, 'utf8')))).toEqual(save);
});

it('Tests ask for what they need of the machine in one place, and watch nothing of ours from the inside', () => {
  const never =
    /console\.warn|vi\.mock\(|spyOn\((?!console|performance|globalThis|AbortSignal|jwt|ApolloServer)/;
  const all = globSync('test/**/*.test.ts').filter((file) => !file.includes('house-rules'));
  expect(all.filter((file) => never.test(readFileSync(file, 'utf8')))).toEqual([]);
});
