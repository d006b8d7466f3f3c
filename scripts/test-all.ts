import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { browserPath } from '../test/support/tools.ts';
import { isBuilt } from './build.ts';
import { isClientBuilt } from './client-package.ts';

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

const suites: Record<string, () => boolean> = {
  /** The page in a browser: `npm run test:page`. */
  page: () =>
    browserPath
      ? vitest(['--project', 'page'])
      : lacking(
          'The page is tried in Chromium or Google Chrome, and there is none. Install one (`apt install chromium`, `brew install --cask chromium`), or name its file in CHROMIUM.',
        ),
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
