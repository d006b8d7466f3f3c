import { defineConfig } from 'vitest/config';

/** Every promise is tested on both databases; what needs none, or brings its own, is tested alone. */
const onDatabase = (name: 'embedded' | 'postgresql') => ({
  extends: true as const,
  test: {
    name,
    include: ['test/*/*.test.ts'],
    exclude: ['test/{standalone,chaos}/**'],
    globalSetup: [`test/support/${name}.ts`],
    // Workers keep their database from file to file.
    isolate: false,
  },
});

const standalone = {
  extends: true as const,
  test: {
    name: 'standalone',
    include: ['test/standalone/*.test.ts'],
    globalSetup: ['test/support/standalone.ts'],
    testTimeout: 120_000, // they start processes, and some measure out what takes seconds
  },
};

/** Takes minutes, so it runs alone: `npm run test:chaos`. */
const chaos = { extends: true as const, test: { name: 'chaos', include: ['test/chaos/*.test.ts'] } };

export default defineConfig(({ mode }) => ({
  // Imported as module and as script, `graphql` would be loaded twice.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: 'forks',
    projects: mode === 'chaos' ? [chaos] : [standalone, onDatabase('embedded'), onDatabase('postgresql')],
  },
}));
