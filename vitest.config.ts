import { defineConfig } from 'vitest/config';

/**
 * These test what is the same on either database. `npm test` runs them on PostgreSQL only, which production
 * uses and where requests really run in parallel; `npm run test:all` runs them on both.
 */
const onEither = [
  ...['accounts', 'backup', 'challenges', 'graphql', 'http', 'rest', 'security', 'tasks'].map(
    (folder) => `${folder}/**`,
  ),
  'database/{concurrency,long-lists,overload,paging,shards}.test.ts',
  'faces/parity.test.ts',
  'live/{live,many}.test.ts',
  'streaks/{histories,schedule}.test.ts',
];

/** Decided before the database is asked, or without it: these run on a server only, at full length as well. */
const onServer = [
  'http/**',
  'database/shards.test.ts',
  'rest/{bodies,swagger}.test.ts',
  'security/attacks-http.test.ts',
  'graphql/{audits,documents,examples,fast-path,http,introspection,memory,persisted-queries,trusted-documents}.test.ts',
];

/** With EMBEDDED=data, as the gate runs it in its limited time, the faces are tested on a server only as well. */
const faces = ['graphql/**', 'rest/**', 'security/**', 'faces/**'];

/**
 * Repetitions in `npm test`, and on the embedded database, where each takes several times as long. A variable that is
 * set overrides its number.
 */
const few = {
  FUZZ_RUNS: '10',
  STREAK_HISTORIES: '8',
  DOCUMENTS_RUNS: '4',
  ODD_TARGETS: '100',
};

const onDatabase = (name: 'embedded' | 'postgresql', left: string[] = []) => ({
  extends: true as const,
  test: {
    name,
    include: ['test/*/*.test.ts'],
    exclude: ['standalone/**', 'long/**', 'chaos/**', ...left].map((pattern) => `test/${pattern}`),
    globalSetup: [`test/support/${name}.ts`],
    // The tests of GraphQL run with the fast path on every document, and without it.
    env: {
      ...(name === 'embedded' && { ...few, ...process.env }),
      GRAPHQL_LANE: name === 'postgresql' ? 'always' : 'off',
    },
  },
});

const standalone = {
  extends: true as const,
  test: {
    name: 'standalone',
    include: ['test/{standalone,long}/*.test.ts'],
    globalSetup: ['test/support/standalone.ts'],
    testTimeout: 300_000, // they start processes, on a machine that others keep busy
  },
};

/** On the nodes of a database that is given: `npm run test:distributed`. */
const distributed = {
  extends: true as const,
  test: {
    name: 'distributed',
    include: [
      'test/{accounts,challenges,rest,tasks}/*.test.ts',
      'test/database/shards.test.ts',
      'test/faces/same-values.test.ts',
      'test/graphql/{audits,clients,examples,graph,http,limits}.test.ts',
      'test/streaks/{fields,ranges,streaks}.test.ts',
      'test/security/{access,attacks-assignment,attacks-graphql}.test.ts',
    ],
    globalSetup: ['test/support/distributed.ts'],
    maxWorkers: 2, // each opens a session on every node, for every one of its own
    env: { GRAPHQL_LANE: 'always' },
  },
};

/** Takes minutes, so it runs alone: `npm run test:chaos`. */
const chaos = { extends: true as const, test: { name: 'chaos', include: ['test/chaos/*.test.ts'] } };

export default defineConfig(({ mode }) => {
  const isAll = mode === 'all';
  const leftInAll = process.env.EMBEDDED === 'data' ? [...onServer, ...faces] : onServer;
  const databases = [onDatabase('embedded', isAll ? leftInAll : onEither), onDatabase('postgresql')];
  const projects = [standalone, ...databases];
  return {
    // Imported as module and as script, `graphql` would be loaded twice.
    resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
    test: {
      testTimeout: 120_000,
      hookTimeout: 120_000,
      pool: 'forks',
      isolate: false, // a worker keeps its modules and its database for all of its files
      maxWorkers: 4, // on two cores: many tests wait for processes and timers
      reporters: ['default', './test/support/failed-last.ts'],
      env: isAll ? {} : { ...few, ...process.env },
      projects: mode === 'chaos' ? [chaos] : mode === 'distributed' ? [distributed] : projects,
    },
  };
});
