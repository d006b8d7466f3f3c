import { defineConfig } from 'vitest/config';

/**
 * What differs from one database to the other, or happens at the same time, is tested on both. What is said
 * by the faces before any statement is the same on either: `npm test` asks it once, of PostgreSQL, since that
 * is what production runs on and where requests really are side by side; `npm run test:all` asks it of both.
 */
const onEither = ['graphql', 'http', 'rest', 'security'];

/** In `npm test` there is little of what is done over and over; whoever sets a variable has as much as it says. */
const few = {
  FUZZ_RUNS: '10',
  STREAK_HISTORIES: '8',
  DOCUMENTS_RUNS: '4',
  TEST_SIGNALS: '1',
  TEST_PAIRS: '60',
};

const onDatabase = (name: 'embedded' | 'postgresql', left: string[] = []) => ({
  extends: true as const,
  test: {
    name,
    include: ['test/*/*.test.ts'],
    exclude: ['standalone', 'chaos', ...left].map((folder) => `test/${folder}/**`),
    globalSetup: [`test/support/${name}.ts`],
    // Workers keep their database from file to file.
    isolate: false,
    maxWorkers: 3,
    sequence: { groupOrder: 1 },
  },
});

/** They wait for processes and timers, so many of them run side by side. */
const standalone = {
  extends: true as const,
  test: {
    name: 'standalone',
    include: ['test/standalone/*.test.ts'],
    globalSetup: ['test/support/standalone.ts'],
    testTimeout: 300_000, // they start processes, on a machine that others keep busy
    hookTimeout: 120_000,
    maxWorkers: 4,
    sequence: { groupOrder: 0 },
  },
};

/** Takes minutes, so it runs alone: `npm run test:chaos`. */
const chaos = { extends: true as const, test: { name: 'chaos', include: ['test/chaos/*.test.ts'] } };

export default defineConfig(({ mode }) => {
  const isAll = mode === 'all';
  const projects = [standalone, onDatabase('embedded', isAll ? [] : onEither), onDatabase('postgresql')];
  return {
    // Imported as module and as script, `graphql` would be loaded twice.
    resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
    test: {
      testTimeout: 120_000,
      hookTimeout: 120_000,
      pool: 'forks',
      env: isAll ? {} : { ...few, ...process.env },
      projects: mode === 'chaos' ? [chaos] : projects,
    },
  };
});
