import { globSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { rooms, testsOf, testsOfRoom } from '../../scripts/room-tests.js';
import { features as listed } from '../../src/features.js';

const inBrowsers = ['src/graphql/playground/**', 'src/page/client/**', 'src/page/worker/**'];

const sources = globSync('src/**/*.ts', { exclude: inBrowsers }).sort();
const tests = globSync('test/**/*.ts');
const services = sources.filter((file) => /\.(service|queries|job)\.ts$/.test(file));

const read = (file: string) => readFileSync(file, 'utf8');
const withText = (files: string[], pattern: RegExp) => files.filter((file) => pattern.test(read(file)));

const importsOf = (file: string) =>
  [...read(file).matchAll(/from '([^']+)'|import '([^']+)'/g)].map(([, from, bare]) => {
    const name = from ?? bare ?? '';
    return name.startsWith('.') ? path.normalize(path.join(path.dirname(file), name)) : name;
  });

const FEATURES = read('src/features.ts');
const [, inOrder = ''] = /^export const features = \[([^;]+)\];/m.exec(FEATURES) ?? [];

/** In the order in which `features.ts` lists them, after the rule of which day counts, which has nothing to declare. */
const features = [
  'features/schedules',
  ...[...inOrder.matchAll(/\w+/g)].map(([name]) => {
    const imported = new RegExp(`import \\{[^}]*\\b${name}\\b[^}]*\\} from '\\./(.+)/feature\\.js'`);
    return imported.exec(FEATURES)?.[1] ?? name;
  }),
];

const database = ['server', 'embedded', 'distributed', 'announcements', 'pool'].map(
  (name) => `database/${name}`,
);

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

/** Functions and methods, by their indentation: the formatter holds that. */
function longFunctionsIn(file: string): string[] {
  const lines = read(file).split('\n');
  const begins =
    /^( *)(?:export )?(?:default )?(?:async )?(?:function\b|(?:private |static |readonly |get |async )*\w+(?:<.*>)?\(.*\{$|const \w+ =.*=> \{$)/;
  return lines.flatMap((line, at) => {
    const indent = begins.exec(line)?.[1];
    if (indent === undefined) return [];
    const end = lines.findIndex((each, index) => index > at && each.startsWith(`${indent}}`));
    return end - at > 60 ? [`${file}:${at + 1}`] : [];
  });
}

/** What an operator may read: the pages for people and operators, and what stands at the root. */
function pagesForOperators(): string[] {
  const [, section = ''] = /^For people and operators\n([\s\S]+?)^For /m.exec(read('docs/README.md')) ?? [];
  const pages = [...section.matchAll(/\]\((\S+\.md)\)/g)].map(([, page]) => `docs/${page}`);
  return [...pages, 'README.md', 'SECURITY.md', 'CHANGELOG.md'];
}

describe('The repository', () => {
  it('stays small where whoever comes looks first', () => {
    const { scripts } = JSON.parse(read('package.json'));
    const pages = pagesForOperators();
    expect(pages).toContain('docs/operate.md');
    expect(readdirSync('src').length, 'entries of src').toBeLessThanOrEqual(14);
    const declared = new Set(listed.flatMap((each) => Object.keys(each)));
    expect(declared.size, 'what a feature may declare').toBeLessThanOrEqual(10);
    expect(Object.keys(scripts).length, 'scripts of npm').toBeLessThanOrEqual(14);
    const words = pages.flatMap((page) => read(page).trim().split(/\s+/));
    expect(words.length, 'words for operators').toBeLessThanOrEqual(13_000);
  });

  it('keeps files under 400 lines, and functions under 60', () => {
    const all = [...sources, ...globSync('src/page/{client,worker}/**/*.{ts,tsx,css}')];
    const catalogues = /\/texts\//; // each has all texts of one language
    const long = all.filter((file) => read(file).trimEnd().split('\n').length > 400);
    expect(long.filter((file) => !catalogues.test(file))).toEqual([]);
    expect(all.flatMap(longFunctionsIn)).toEqual([]);
  });
});

describe('`check:quick`', () => {
  it('knows tests for every folder of the sources, which are there', () => {
    const unknown = [...globSync('src/*/'), ...globSync('src/{features,operation,features/history}/*/')]
      .map((folder) => folder.replace(/\/$/, ''))
      .filter((folder) => !rooms.some((room) => room === folder || room.startsWith(`${folder}/`)))
      .filter((folder) => !/\/(texts|service|startup)$/.test(folder));
    expect(unknown).toEqual([]);
    const missing = rooms.flatMap(testsOfRoom).filter((tests) => globSync(`${tests}*.test.ts`).length === 0);
    expect(missing).toEqual([]);
  });

  it.each([
    ['test/database/__snapshots__/sql.test.ts.snap', ['test/database/sql.test.ts']],
    ['test/database/sql.test.ts', ['test/database/sql.test.ts']],
    ['test/support/world.ts', []],
    ['src/features/habits/task.entity.ts', ['test/tasks/', 'test/export-import/export']],
    ['src/features/habits/carried.ts', ['test/tasks/', 'test/export-import/']],
    ['src/features/history/pauses/pause.service.ts', ['test/pauses/', 'test/schedules/']],
  ])('runs for %s its own test, or those of its folder', (file, expected) => {
    expect(testsOf(file)).toEqual(expected);
  });
});

describe('Imports', () => {
  it.each(Object.entries(allowed))('let %s know only what lies below it', (room, below) => {
    const files = sources.filter((file) => roomOf(file) === room);
    expect(files).not.toEqual([]);
    const ours = files.flatMap(importsOf).filter((name) => /^(src|migrations)\//.test(name));
    const may = [room, ...below];
    expect(ours.filter((name) => !may.includes(roomOf(name)))).toEqual([]);
  });

  it('are ruled for every folder, and every feature is one of the list', () => {
    expect([...new Set(sources.map(roomOf))].filter(Boolean).sort()).toEqual(Object.keys(allowed).sort());
    const folders = globSync('src/features/*/').map((folder) => folder.replace(/^src\/|\/$/g, ''));
    expect(folders.sort()).toEqual([...features].sort());
    expect(listed).toHaveLength(features.length - 1);
  });

  it('keep services and what they stand on free of HTTP and GraphQL, and of the scope of a request', () => {
    const http =
      /^(express|graphql|type-graphql|@apollo\/|@as-integrations\/|node:http)|^src\/(graphql|rest)\//;
    const below = sources.filter((file) => /src\/database\/|src\/base\/(errors|validation)/.test(file));
    const core = [...services, ...below];
    expect(core.filter((file) => importsOf(file).some((name) => http.test(name)))).toEqual([]);
    expect(services.filter((file) => importsOf(file).includes('src/base/request.js'))).toEqual([]);
    expect(services.length).toBeGreaterThan(10);
  });
});

/** With values in the text of its statements. */
const managed =
  /\.(create|find\w*|getReference|persist|upsert\w*|insert\w*|native\w+)\((User|ApiToken|AccountLink|CalendarFeed|Channel|CheckInLink|Identity|OidcExchange|Mail|StoredValue)\b/;

const ofOurs = /vi\.mock\(|spyOn\((?!console|performance|globalThis|AbortSignal|jwt|ApolloServer)/;

const byHand = /description:\s*(['"])(?:(?!\1).)*\b(at most|at least|to|for) \d/;

describe('The code', () => {
  const answers = sources.filter((file) => /\.(resolver|payloads)\.ts$/.test(file));

  it.each<[rule: string, files: string[], pattern: RegExp, but?: string[]]>([
    ['reads the time in one place', sources, /new Date\(\)|Date\.now\(\)/, ['src/base/clock.ts']],
    ['writes rows with secrets past the entity manager', sources, managed],
    ['has no getter in an answer, which would be read by whoever copies it', answers, /^\s+get \w+\(\) \{/m],
    ['writes no limit into a description by hand', sources, byHand],
    ['of tests asks for what it needs of the machine in one place', tests, /console\.warn\(/],
    ['of tests watches nothing of ours from the inside', tests, ofOurs],
  ])('%s', (_rule, files, pattern, but = []) => {
    expect(withText(files, pattern)).toEqual(but);
  });

  it('knows of Citus in one room: two places outside ask whether there are many nodes, and the decision names them', () => {
    const outside = sources.filter((file) => !file.startsWith('src/database/distributed/'));
    const passingOn = ['src/database/backend.ts', 'src/database/database.ts'];
    const asking = withText(outside, /ManyNodes|\bnodesOf\b|isDistributed|\bpg_dist|citus\./);
    const places = asking.filter((file) => !passingOn.includes(file));
    const named = [...read('docs/decisions/keys.md').matchAll(/`(src\/[\w./-]+\.ts)`/g)];
    expect(places.length).toBeLessThanOrEqual(2);
    expect(named.map(([, file]) => file).sort()).toEqual(places);
    const importing = outside.filter((file) =>
      importsOf(file).some((name) => name.startsWith('src/database/distributed/')),
    );
    expect(importing, 'the start, the command, and what its error says').toEqual([
      'src/database/server/open.ts',
      'src/operation/commands/distribute.ts',
      'src/operation/startup/start-errors.ts',
    ]);
  });

  it('leaves the scope of a request in one way, wherever a timer may begin in one', () => {
    expect(withText(sources, /\.snapshot\(\)/)).toEqual(['src/base/request.ts']);
    const ofProcess = ['database/server/listen', 'operation/service/ending', 'operation/service/workers'];
    const ofRequest = [
      ...['base/queues/fair-semaphore', 'features/export-import/import-file', 'http/admission', 'http/body'],
    ];
    const askNoDatabase = [
      ...['base/clock', 'graphql/live/messages', 'graphql/live/websocket', 'graphql/live/event-stream'],
      ...['http/server', 'operation/service/metrics-of-workers', 'telemetry/log', 'telemetry/trail'],
    ];
    const known = [...ofProcess, ...ofRequest, ...askNoDatabase].map((name) => `src/${name}.ts`);
    const leaving = withText(sources, /\binBackground\(/);
    const others = withText(sources, /\bset(Timeout|Interval)\(|topics\.\w+\.follow\(/).filter(
      (file) => !leaving.includes(file) && !/^src\/features\/[\w-]+\/topics\.ts$/.test(file),
    );
    expect(others.sort()).toEqual(known.sort());
  });
});
