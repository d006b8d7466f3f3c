import { defineConfig } from 'vitest/config';

/**
 * What may differ on the embedded database. `npm test` runs these on it and everything on PostgreSQL, which production
 * uses and where requests really run in parallel; `npm run test:all` runs everything on both.
 */
const mayDiffer = [
  'schedules/lives.test.ts',
  'database/{database,listen,sql}.test.ts',
  '{pauses,schedules}/*.test.ts',
  'streaks/user-days.test.ts',
  'tasks/creation-keys.test.ts',
].map((file) => `test/${file}`);

/** Decided before the database is asked, or without it: these run on a server only, at full length as well. */
const onServer = [
  'http/**',
  'database/{long-lists,shards}.test.ts',
  'rest/{bodies,swagger}.test.ts',
  'security/attacks-http.test.ts',
  'graphql/{audits,documents,examples,fast-path,http,introspection,memory,persisted-queries,trusted-documents}.test.ts',
];

/**
 * Repetitions in `npm test`, and on the embedded database, where each takes several times as long. A variable that is
 * set overrides its number.
 */
const few = {
  FUZZ_RUNS: '5',
  HABIT_LIVES: '12',
  AFTERWARDS_RUNS: '5',
  DOCUMENTS_RUNS: '4',
  ODD_TARGETS: '50',
  CHOSEN_PIECES: '3',
};

const onDatabase = (
  name: 'embedded' | 'postgresql',
  { include = ['test/*/*.test.ts'], left = [] }: { include?: string[]; left?: string[] } = {},
) => ({
  extends: true as const,
  test: {
    name,
    include,
    exclude: ['*/*.{alone,long}.test.ts', 'chaos/**', ...left].map((pattern) => `test/${pattern}`),
    globalSetup: [`test/support/${name}.ts`],
    // The tests of GraphQL run with the fast path on every document, and without it.
    env: {
      ...(name === 'embedded' && { ...few, ...process.env }),
      TEST_FAST_PATH: name === 'postgresql' ? 'always' : 'off',
    },
  },
});

/** Of what takes long, only the files that `TEST_LONG` names, unless the mode is `all`. */
const long = process.env.TEST_LONG ? [`test/*/${process.env.TEST_LONG}.long.test.ts`] : [];

/** Without the database of the others: what needs none (`alone`), and what starts its own or takes long (`long`). */
const standalone = (isAll: boolean) => ({
  extends: true as const,
  test: {
    name: 'standalone',
    include: ['test/*/*.alone.test.ts', ...(isAll ? ['test/*/*.long.test.ts'] : long)],
    globalSetup: ['test/support/standalone.ts'],
  },
});

/** On the nodes of a database that is given: `npm run test:distributed`. */
const distributed = {
  extends: true as const,
  test: {
    name: 'distributed',
    include: [
      'test/{accounts,calendar,challenges,completions,rest,tasks}/*.test.ts',
      'test/database/{distribution,shards}.test.ts',
      'test/apis/same-values.test.ts',
      'test/graphql/{audits,clients,examples,graph,http,limits}.test.ts',
      'test/streaks/{fields,job,streaks}.test.ts',
      'test/security/{access,attacks-assignment,attacks-graphql}.test.ts',
    ],
    exclude: ['test/*/*.{alone,long}.test.ts'],
    globalSetup: ['test/support/distributed.ts'],
    maxWorkers: 2, // each opens a session on every node, for every one of its own
    env: { TEST_FAST_PATH: 'always' },
  },
};

/** Takes minutes, so it runs alone: `npm run test:all -- chaos`. */
const chaos = { extends: true as const, test: { name: 'chaos', include: ['test/chaos/*.test.ts'] } };

export default defineConfig(({ mode }) => {
  const isAll = mode === 'all';
  const embedded = onDatabase('embedded', isAll ? { left: onServer } : { include: mayDiffer });
  const projects = [standalone(isAll), embedded, onDatabase('postgresql')];
  return {
    // Imported as module and as script, `graphql` would be loaded twice.
    resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
    test: {
      // Nothing here waits for a time: a test that takes so long hangs, however busy the machine is.
      testTimeout: 300_000,
      hookTimeout: 300_000,
      expect: { poll: { timeout: 250_000, interval: 10 } }, // as `eventually`
      pool: 'forks',
      isolate: false, // a worker keeps its modules and its database for all of its files
      maxWorkers: 4, // on two cores: many tests wait for processes and timers
      reporters: ['default', './test/support/failures.ts'],
      env: isAll ? {} : { ...few, ...process.env },
      projects: mode === 'chaos' ? [chaos] : mode === 'distributed' ? [distributed] : projects,
    },
  };
});
