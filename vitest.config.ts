import { defineConfig } from 'vitest/config';

/** Every promise is tested on both databases; what needs none, or brings its own, is tested alone. */
const onDatabase = (name: 'embedded' | 'postgresql') => ({
  extends: true as const,
  test: {
    name,
    include: ['test/*.test.ts'],
    globalSetup: [`test/support/${name}.ts`],
    // Workers keep their database from file to file.
    isolate: false,
  },
});

export default defineConfig({
  // Imported as module and as script, `graphql` would be loaded twice.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: 'forks',
    projects: [
      {
        extends: true,
        test: { name: 'alone', include: ['test/alone/*.test.ts'], globalSetup: ['test/support/alone.ts'] },
      },
      onDatabase('embedded'),
      onDatabase('postgresql'),
    ],
  },
});
