import { spawnSync } from 'node:child_process';
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

/** Of what `npm test` and `npm run test:page` leave out, all in the rooms of these files. */
function ofRooms(files: string[]): boolean {
  const tests = [...new Set(files.flatMap(testsOf))];
  console.log(`Of what takes long, these, which the change touches: ${tests.join(' ') || 'none'}`);
  const projects = ['--mode', 'all', '--project', 'long', '--project', 'page', '--passWithNoTests'];
  return tests.length === 0 || vitest([...projects, ...tests]);
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
