import { globSync, readdirSync, readFileSync } from 'node:fs';
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

/** Functions and methods, by their indentation: the formatter holds that. */
function longFunctionsIn(file: string): string[] {
  const lines = readFileSync(file, 'utf8').split('\n');
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
  const list = readFileSync('docs/README.md', 'utf8');
  const [, section = ''] = /^For people and operators\n([\s\S]+?)^For /m.exec(list) ?? [];
  const pages = [...section.matchAll(/\]\((\S+\.md)\)/g)].map(([, page]) => `docs/${page}`);
  return [...pages, 'README.md', 'SECURITY.md', 'CHANGELOG.md'];
}

describe('The repository', () => {
  it('stays small where whoever comes looks first', async () => {
    const { features: listed } = await import('../../src/features.js');
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
    const pages = pagesForOperators();
    const words = pages.flatMap((page) => readFileSync(page, 'utf8').trim().split(/\s+/));
    expect(pages).toContain('docs/operate.md');
    expect(readdirSync('src').length, 'entries of src').toBeLessThanOrEqual(14);
    const declared = new Set(listed.flatMap((each) => Object.keys(each)));
    expect(declared.size, 'what a feature may declare').toBeLessThanOrEqual(10);
    expect(Object.keys(scripts).length, 'scripts of npm').toBeLessThanOrEqual(14);
    expect(words.length, 'words for operators').toBeLessThanOrEqual(13_000);
  });
});

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
    expect(testsOf('test/database/sql.test.ts')).toEqual(['test/database/sql.test.ts']);
    expect(testsOf('src/features/habits/task.entity.ts')).toEqual([
      'test/tasks/',
      'test/export-import/export',
    ]);
    expect(testsOf('src/features/habits/carried.ts')).toEqual(['test/tasks/', 'test/export-import/']);
    expect(testsOf('src/features/history/pauses/pause.service.ts')).toEqual([
      'test/pauses/',
      'test/schedules/',
    ]);
    expect(testsOf('src/features/schedules/stored-runs.ts')).toEqual(['test/schedules/', 'test/streaks/']);
    expect(testsOf('test/support/world.ts')).toEqual([]);
  });

  it('have one home for what they need of the machine', () => {
    const asking = globSync('test/**/*.ts').filter((file) =>
      /console\.warn/.test(readFileSync(file, 'utf8')),
    );
    expect(asking).toEqual([]);
  });

  it('watch nothing of ours from the inside', () => {
    const spying = globSync('test/**/*.test.ts').filter((file) =>
      /vi\.mock\(|spyOn\((?!console|performance|globalThis|AbortSignal|jwt|ApolloServer)/.test(
        readFileSync(file, 'utf8'),
      ),
    );
    expect(spying).toEqual([]);
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

  it('knows of Citus in one room: two places outside ask whether there are many nodes, and the decision names them', () => {
    const outside = sources.filter((file) => !file.startsWith('src/database/distributed/'));
    const passingOn = ['src/database/backend.ts', 'src/database/database.ts'];
    const asking = outside.filter((file) => ASKS_FOR_NODES.test(readFileSync(file, 'utf8')));
    const places = asking.filter((file) => !passingOn.includes(file));
    const decision = readFileSync('docs/decisions/keys.md', 'utf8');
    const named = [...decision.matchAll(/`(src\/[\w./-]+\.ts)`/g)].map(([, file]) => file);
    expect(places.length).toBeLessThanOrEqual(2);
    expect(named.sort()).toEqual(places);
    const importing = outside.filter((file) =>
      importsOf(file).some((name) => name.startsWith('src/database/distributed/')),
    );
    expect(importing, 'the start, the command, and what its error says').toEqual([
      'src/database/server/open.ts',
      'src/operation/commands/distribute.ts',
      'src/operation/startup/start-errors.ts',
    ]);
  });

  it('keeps files under 400 lines, and functions under 60', () => {
    const all = [...sources, ...globSync('src/page/{client,worker}/**/*.{ts,tsx,css}')];
    const isCatalogue = (file: string) => /\/texts\//.test(file); // all texts of one language
    const read = all.filter((file) => !isCatalogue(file));
    const long = read.filter((file) => readFileSync(file, 'utf8').trimEnd().split('\n').length > 400);
    expect(long).toEqual([]);
    expect(all.flatMap(longFunctionsIn)).toEqual([]);
  });

  it('writes rows with secrets past the entity manager, which puts values into the text of its statements', () => {
    const secret =
      'User|ApiToken|AccountLink|CalendarFeed|Channel|CheckInLink|Identity|OidcExchange|Mail|StoredValue';
    const managed = new RegExp(
      String.raw`\.(create|find\w*|getReference|persist|upsert\w*|insert\w*|native\w+)\((${secret})\b`,
    );
    expect(sources.filter((file) => managed.test(readFileSync(file, 'utf8')))).toEqual([]);
  });

  it('keeps services and what they stand on free of HTTP and GraphQL', () => {
    const core = sources.filter((file) =>
      /\.(service|queries|job)\.ts$|src\/database\/|src\/base\/(errors|validation)/.test(file),
    );
    const http =
      /^(express|graphql|type-graphql|@apollo\/|@as-integrations\/|node:http)|^src\/(graphql|rest)\//;
    expect(core.filter((file) => importsOf(file).some((name) => http.test(name)))).toEqual([]);
    expect(core.length).toBeGreaterThan(10);
  });

  it('has no getter in an answer: who copies it would begin to read what nobody asks for', () => {
    const answers = sources.filter((file) => /\.(resolver|payloads)\.ts$/.test(file));
    expect(answers.filter((file) => /^\s+get \w+\(\) \{/m.test(readFileSync(file, 'utf8')))).toEqual([]);
  });

  it('keeps services free of the scope of a request, which the database looks after', () => {
    const services = sources.filter((file) => /\.(service|queries|job)\.ts$/.test(file));
    expect(services.filter((file) => importsOf(file).includes('src/base/request.js'))).toEqual([]);
  });

  it('writes no limit into a description by hand', () => {
    const byHand = /description:\s*(['"])(?:(?!\1).)*\b(at most|at least|to|for) \d/;
    expect(sources.filter((file) => byHand.test(readFileSync(file, 'utf8')))).toEqual([]);
  });

  it('leaves the scope of a request in one way, wherever a timer may begin in one', () => {
    const read = new Map(sources.map((file) => [file, readFileSync(file, 'utf8')]));
    const filesWith = (pattern: RegExp) => sources.filter((file) => pattern.test(read.get(file) ?? ''));
    expect(filesWith(/\.snapshot\(\)/)).toEqual(['src/base/request.ts']);
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

  it('reads the time in one place', () => {
    const readers = sources.filter((file) => /new Date\(\)|Date\.now\(\)/.test(readFileSync(file, 'utf8')));
    expect(readers).toEqual(['src/base/clock.ts']);
  });
});
