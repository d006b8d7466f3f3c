import { defineConfig } from 'vitest/config';
import LongFirst from './test/support/sequencer.js';

/** Repetitions wherever it is not all that is run. A variable that is set overrides its number. */
const few = {
  FUZZ_RUNS: '5',
  HABIT_LIVES: '10',
  REMINDER_LIVES: '1',
  CHOSEN_PIECES: '3',
  CLIENT_LIVES: '6',
  FEED_LIVES: '1',
};

const ALWAYS_FAST = { TEST_FAST_PATH: 'always' };

const project = (name: string, kinds: string, setups: string[], more = {}) => ({
  extends: true as const,
  test: {
    name,
    include: [`test/*/${kinds}.test.ts`],
    exclude: ['test/chaos/**'],
    globalSetup: setups.map((file) => `test/support/${file}.ts`),
    ...more,
  },
});

/** A worker more would load all modules once more, which takes seconds of a core. */
const service = { maxWorkers: 2, env: ALWAYS_FAST };

/** Without the database of the others: what needs none, or starts its own. */
const standalone = project('standalone', '*.alone', [], service);

const onDatabase = project('postgresql', '!(*.{alone,browser,process,long})', ['postgresql'], service);

/** Both, in the same workers: `npm test`. */
const both = project('service', '!(*.{browser,process,long})', ['postgresql'], service);

/** The page in a browser: `npm run test:page` has its journeys, `npm run test:all -- page` all of it. */
const page = project('page', '*.browser', ['prepared', 'stage']);

/** Commands, starts and kills, in processes of their own: `npm run test:all -- processes`. */
const processes = project('processes', '*.process', ['prepared', 'postgresql']);

/** What takes long: `npm run test:all -- long`. */
const long = project('long', '*.long', ['prepared', 'postgresql'], { env: ALWAYS_FAST });

/** On the nodes of a database that is given: `npm run test:all -- distributed`. */
const distributed = {
  extends: true as const,
  test: {
    name: 'distributed',
    include: [
      'test/{accounts,calendar,challenges,completions,rest,tasks}/*.test.ts',
      'test/database/{distribution,shards}.long.test.ts',
      'test/{calendar-feeds,channels,check-in,reminders}/*.test.ts',
      'test/apis/{refusals,same-values}.test.ts',
      'test/graphql/{audits,graph,http,limits}.test.ts',
      'test/streaks/{fields,job,streaks}.test.ts',
      'test/security/{access.test,attacks-graphql.long.test}.ts',
    ],
    exclude: [
      'test/*/*.{alone,browser,process}.test.ts',
      'test/completions/cost.test.ts', // reads the plans of one server
      'test/completions/together.test.ts', // nothing goes together there
      'test/*/!(distribution|shards|attacks-graphql).long.test.ts',
    ],
    globalSetup: ['test/support/distributed.ts'],
    maxWorkers: 2, // each opens a session on every node, for every one of its own
    env: ALWAYS_FAST,
  },
};

/** Takes minutes, so it runs alone: `npm run test:all -- chaos`. */
const chaos = { extends: true as const, test: { name: 'chaos', include: ['test/chaos/*.test.ts'] } };

/** A mode that has one project only. */
const alone: Record<string, object[]> = {
  service: [both],
  distributed: [distributed],
  chaos: [chaos],
};

export default defineConfig(({ mode }) => {
  const isAll = mode === 'all';
  const projects = [standalone, onDatabase, page, processes, ...(isAll || mode === 'short' ? [long] : [])];
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
      retry: 1, // what a busy machine upsets once; the last lines of the run name it
      maxWorkers: 3, // on two cores: a browser and other processes are waited for
      sequence: { sequencer: LongFirst },
      tags: [{ name: 'journey', description: 'What people come for, on the page: `npm run test:page`.' }],
      // Of the provider of tests, which forgets all when it ends.
      onConsoleLog: (text) => !text.includes('quick start development-only in-memory adapter'),
      reporters: ['default', './test/support/failures.ts'],
      env: isAll ? {} : { ...few, ...process.env },
      projects: alone[mode] ?? projects,
    },
  };
});
