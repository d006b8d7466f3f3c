import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { testsOf, testsOfRoom } from '../../scripts/room-tests.js';

const inBrowsers = ['src/graphql/playground/**', 'src/page/client/**', 'src/page/worker/**'];

const sources = globSync('src/**/*.ts', { exclude: inBrowsers }).sort();

const importsOf = (file: string) =>
  [...readFileSync(file, 'utf8').matchAll(/from '([^']+)'|import '([^']+)'/g)].map(([, from, bare]) => {
    const name = from ?? bare ?? '';
    return name.startsWith('.') ? path.normalize(path.join(path.dirname(file), name)) : name;
  });

const rooms = [
  'database/server',
  'database/embedded',
  'database/distributed',
  'database/announcements',
  'database/pool',
];

/** Files of `src` itself are in no room. */
const roomOf = (file: string) =>
  rooms.find((room) => file.startsWith(`src/${room}/`)) ?? /^src\/([^/]+)\//.exec(file)?.[1] ?? '';

const database = ['database', ...rooms];

/** What a room may import from, besides itself, the files of `src` itself, and `queues`. */
const features = ['schedules', 'accounts', 'streaks', 'challenges', 'tasks', 'completions', 'pauses'];

const allowed: Record<string, string[]> = {
  files: [],
  config: [],
  telemetry: ['files', 'config'],
  queues: ['config'],
  http: ['config', 'telemetry'],
  database: ['database/announcements', 'database/distributed'],
  'database/distributed': ['database'],
  'database/server': ['database', 'database/distributed', 'database/pool', 'telemetry'],
  'database/embedded': ['files'],
  'database/pool': ['database', 'database/distributed', 'telemetry'],
  'database/announcements': ['database'],
  graphql: ['files', 'database', 'http', 'telemetry'],
  languages: [],
  schedules: [],
  accounts: ['files', 'database', 'database/announcements', 'graphql', 'languages', 'schedules', 'telemetry'],
  streaks: ['database', 'database/announcements', 'graphql', 'schedules', 'accounts', 'telemetry'],
  challenges: ['database', 'database/announcements', 'graphql', 'accounts'],
  tasks: ['database', 'graphql', 'schedules', 'accounts', 'challenges'],
  completions: ['database', 'graphql', 'schedules', 'accounts', 'streaks', 'tasks', 'telemetry'],
  pauses: ['database', 'graphql', 'schedules', 'accounts', 'streaks', 'tasks', 'completions', 'telemetry'],
  calendar: ['database', 'graphql', 'schedules', 'accounts', 'streaks', 'tasks', 'completions'],
  'challenge-progress': ['database', 'graphql', 'schedules', 'streaks', 'challenges', 'tasks', 'completions'],
  mail: ['config', 'database', 'database/announcements', 'accounts', 'languages', 'telemetry'],
  'sign-in': ['config', 'database', 'graphql', 'http', 'accounts', 'languages', 'mail', 'telemetry'],
  page: ['files', 'http', 'telemetry'],
  channels: ['database', 'graphql', 'languages', 'accounts'],
  reminders: [
    ...['database', 'graphql', 'languages', 'schedules', 'accounts', 'streaks', 'tasks', 'calendar'],
    ...['channels', 'check-in', 'telemetry'],
  ],
  'check-in': [
    ...[
      'database',
      'graphql',
      'languages',
      'schedules',
      'accounts',
      'streaks',
      'tasks',
      'completions',
      'calendar',
    ],
  ],
  rest: ['files', 'database', 'http', 'languages', ...features, 'check-in', 'takeout', 'telemetry'],
  takeout: ['files', 'database', ...features, 'languages', 'pauses'],
  startup: [...database, 'files', 'config', 'graphql', 'accounts', 'telemetry'],
  backup: [...database, 'files', 'startup', 'accounts', 'channels', 'completions'],
  doctor: [...database, 'channels', 'files', 'config', 'startup', 'backup', 'accounts', 'mail', 'telemetry'],
  commands: [
    ...[...database, ...features, 'channels', 'languages', 'reminders', 'sign-in'],
    ...['config', 'startup', 'backup', 'takeout', 'doctor'],
  ],
  service: [
    'http',
    ...database,
    'files',
    'startup',
    'doctor',
    'accounts',
    'reminders',
    'streaks',
    'graphql',
    'telemetry',
    'backup',
    'commands',
  ],
};

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

describe('The tests', () => {
  it('are known to check:quick for every folder of the sources, and are there', () => {
    const rooms = globSync('src/*/').map((folder) => path.basename(folder));
    const others = ['src', 'migrations', 'scripts', 'examples', 'docs'];
    const missing = [...rooms, ...others]
      .flatMap(testsOfRoom)
      .filter((tests) => globSync(`${tests}*.test.ts`).length === 0);
    expect(missing).toEqual([]);
  });

  it('of a changed snapshot are its own, in check:quick, and not those of its folder', () => {
    expect(testsOf('test/database/__snapshots__/sql.test.ts.snap')).toEqual(['test/database/sql.test.ts']);
    expect(testsOf('test/database/sql.test.ts')).toEqual(['test/database/sql.test.ts']);
    expect(testsOf('src/tasks/task.entity.ts')).toEqual(['test/tasks/']);
  });

  it('are read in one sitting: a file has at most 500 lines', () => {
    const long = globSync('test/**/*.ts').filter(
      (file) => readFileSync(file, 'utf8').split('\n').length > 501,
    );
    expect(long).toEqual([]);
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
    const reached = new Set(files.flatMap(importsOf).map(roomOf));
    const may = ['', room, 'queues', ...below];
    expect([...reached].filter((other) => !may.includes(other))).toEqual([]);
  });

  it('can lose REST and nothing else: only app.ts imports it', () => {
    const importing = sources.filter(
      (file) => roomOf(file) !== 'rest' && importsOf(file).some((name) => name.startsWith('src/rest/')),
    );
    expect(importing).toEqual(['src/app.ts']);
  });

  it('keeps in src itself only what everybody shares', () => {
    const shared = sources.filter((file) => roomOf(file) === '').map((file) => path.basename(file, '.ts'));
    expect(shared).toEqual([
      'app',
      'characters',
      'clock',
      'config',
      'errors',
      'main',
      'request',
      'scopes',
      'services',
      'validation',
    ]);
  });

  it('reads and writes the table of listeners in one folder', () => {
    const readers = sources.filter((file) =>
      /\b(from|into|join) listeners\b/.test(readFileSync(file, 'utf8')),
    );
    expect([...new Set(readers.map(roomOf))]).toEqual(['database/announcements']);
  });

  it('keeps files under 400 lines, and functions under 60', () => {
    const all = [...sources, ...globSync('src/page/{client,worker}/*.{ts,tsx,css}')];
    const isCatalogue = (file: string) => /^src\/languages\/[^/]+\//.test(file); // all texts of one language
    const read = all.filter((file) => !isCatalogue(file));
    const long = read.filter((file) => readFileSync(file, 'utf8').trimEnd().split('\n').length > 400);
    expect(long).toEqual([]);
    expect(all.flatMap(longFunctionsIn)).toEqual([]);
  });

  it('keeps services and what they stand on free of HTTP and GraphQL', () => {
    const core = sources.filter((file) =>
      /\.(service|queries|job)\.ts$|src\/database\/|src\/[^/]*(errors|validation)/.test(file),
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
    expect(services.filter((file) => importsOf(file).includes('src/request.js'))).toEqual([]);
  });

  it('asks whether an account is gone at the two APIs, and otherwise only for pages and for fields read later', () => {
    const asking = /\b(unlessGone|assertExists)\(/;
    const askers = sources.filter(
      (file) =>
        !['src/errors.ts', 'src/accounts/account.service.ts'].includes(file) &&
        asking.test(readFileSync(file, 'utf8')),
    );
    const apis = ['src/app.ts', 'src/graphql/schema.ts', 'src/rest/files.ts', 'src/rest/router.ts'];
    const lists = ['challenges/challenge', 'completions/completion-list', 'tasks/task', 'tasks/task-order'];
    const pages = lists.map((name) => `src/${name}.service.ts`);
    const later = ['challenges/challenge', 'completions/completion', 'completions/progress-change'];
    const laterFields = later.map((name) => `src/${name}.resolver.ts`);
    expect(askers).toEqual([...apis, ...pages, ...laterFields].sort());
  });

  it('writes no limit into a description by hand', () => {
    const byHand = /description:\s*(['"])(?:(?!\1).)*\b(at most|at least|to|for) \d/;
    expect(sources.filter((file) => byHand.test(readFileSync(file, 'utf8')))).toEqual([]);
  });

  it('reads the time in one place', () => {
    const readers = sources.filter((file) => /new Date\(\)|Date\.now\(\)/.test(readFileSync(file, 'utf8')));
    expect(readers).toEqual(['src/clock.ts']);
  });

  it('has every variable of the environment described in docs/configuration.md', async () => {
    const { settings } = await import('../../src/config.js');
    const all = Object.values<{ name: string; secret?: boolean }>(settings);
    const files = all.filter(({ secret }) => secret).map(({ name }) => `${name}_FILE`);
    const page = readFileSync('docs/configuration.md', 'utf8');
    const namesIn = (text = '') => [...text.matchAll(/^- `([A-Z_]+)` \(/gm)].map(([, name]) => name);
    expect(namesIn(page).sort()).toEqual([...all.map(({ name }) => name), ...files].sort());
    expect(namesIn(page.split('\n## ')[0])).toHaveLength(22);
    expect(all.length).toBeLessThanOrEqual(60);
  });

  it('has the default of every setting there', async () => {
    const { settings } = await import('../../src/config.js');
    const page = readFileSync('docs/configuration.md', 'utf8');
    const wrong = Object.values<{ name: string; fallback: unknown }>(settings).filter(
      ({ name, fallback }) => {
        const [, said = ''] = new RegExp(`^- \`${name}\` \\((.+?)\\)`, 'm').exec(page) ?? [];
        return ['string', 'number', 'boolean'].includes(typeof fallback) && fallback !== ''
          ? !said.includes(`\`${fallback}\``)
          : /^`/.test(said);
      },
    );
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  it('has every table of an entity in docs/architecture.md', () => {
    const [, part = ''] = readFileSync('docs/architecture.md', 'utf8').split('\n## Data\n');
    const [data = ''] = part.split('\n## ');
    const described = [...data.matchAll(/^- `(\w+)`/gm)].map(([, name]) => name);
    const files = globSync('src/**/*.entity.ts').map((file) => readFileSync(file, 'utf8'));
    const tables = files
      .flatMap((text) => [...text.matchAll(/\btableName: '(\w+)'/g)])
      .map(([, name]) => name);
    expect(described.sort()).toEqual(tables.sort());
  });
});
