import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import path from 'node:path';
import { browserPath } from '../test/support/tools.ts';
import { isBuilt } from './build.ts';
import { isClientBuilt } from './client-package.ts';
import { testsOf } from './room-tests.ts';

// `npm run test:all [-- NAME [FILTER…]]`: all tests, one suite after the other until something fails, or one of them.

const [chosen, ...filters] = process.argv.slice(2);

function vitest(options: string[]): boolean {
  const command = [path.resolve('node_modules/vitest/vitest.mjs'), 'run', ...options, ...filters];
  return spawnSync(process.execPath, command, { stdio: 'inherit' }).status === 0;
}

function lacking(what: string): boolean {
  console.error(what);
  return false;
}

function skip(reason: string): boolean {
  console.log(`Skipped: ${reason}`);
  return true;
}

const inBrowser = (...options: string[]) =>
  browserPath
    ? vitest(['--project', 'page', ...options])
    : lacking(
        'The page is tried in Chromium or Google Chrome, and there is none. Install one (`apt install chromium`, `brew install --cask chromium`), or name its file in CHROMIUM.',
      );

/** What has changed since the commit that BASE names, else since the one before; nothing known: undefined. */
function changed(): string[] | undefined {
  const { status, stdout } = spawnSync('git', ['diff', '--name-only', process.env.BASE ?? 'HEAD~1'], {
    encoding: 'utf8',
  });
  return status === 0 ? stdout.split('\n').filter(Boolean) : undefined;
}

/** With few repetitions. */
const SHORT = ['--mode', 'short', '--project', 'long'];

/** Each takes up to a minute: with more of them, it is all that is to be run. */
const MOST_FILES = 12;

/** What tries anything, and compares it with a model or with what nobody may do. */
const ATTACKS = ['test/security/', 'test/sign-in/', 'lives.long', 'queue-property', 'test/database/shards'];

/** Of what `npm test` and `npm run test:page` leave out, all in the rooms of these files. */
function ofRooms(files: string[]): boolean {
  const tests = [...new Set(files.flatMap(testsOf))];
  const found = new Set(globSync(tests.map((each) => `${each}*.{long,browser}.test.ts`)));
  if (found.size > MOST_FILES) return skip(`The change touches ${found.size} files of what takes long.`);
  console.log(`Of what takes long, these, which the change touches: ${[...found].join(' ') || 'none'}`);
  return found.size === 0 || vitest([...SHORT, '--project', 'page', ...found]);
}

const suites: Record<string, () => boolean> = {
  /** What people come for, on the page: `npm run test:page`. */
  journeys: () => inBrowser('--tags-filter', 'journey'),
  /** All of the page in a browser. */
  page: () => inBrowser(),
  /** What a change touches and the two quick runs leave out. */
  touched: () => {
    const files = changed();
    return files ? ofRooms(files) : skip('Git does not know the commit before this one, or what BASE names.');
  },
  /** Attacks, fuzzing, and models of whole lives, a few of each. */
  attacks: () => vitest([...SHORT, ...ATTACKS]),
  /** Commands, starts and kills, in processes of their own. */
  processes: () => vitest(['--project', 'processes']),
  /** Every test, at full length, these two among them. */
  long: () => vitest(['--mode', 'all']),
  /** Five minutes of injected faults. */
  chaos: () => vitest(['--mode', 'chaos']),
  /** Both APIs on a database with Citus and worker nodes. */
  distributed: () =>
    process.env.TEST_DATABASE_URL
      ? vitest(['--mode', 'distributed'])
      : skip('TEST_DATABASE_URL names no database with Citus. See docs/scaling.md.'),
};

const names = chosen === undefined ? ['long', 'chaos', 'distributed'] : [chosen];
const unknown = names.find((name) => !Object.hasOwn(suites, name));
if (unknown !== undefined)
  console.error(`There is no ${unknown}. There are: ${Object.keys(suites).join(', ')}`);
const hasPassed =
  unknown === undefined &&
  (await isBuilt()) &&
  (await isClientBuilt()) &&
  names.every((name) => suites[name]?.() === true);
if (!hasPassed) process.exitCode = 1;
