import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { previousRelease } from '../test/support/previous-release.ts';
import { has, released } from '../test/support/tools.ts';
import { isBuilt } from './build.ts';

// `npm run test:all [-- NAME [FILTER…]]`: what takes long, one after the other until something fails, or one of them.

const [chosen, ...filters] = process.argv.slice(2);

function vitest(options: string[], cwd = process.cwd()): boolean {
  const command = [path.resolve('node_modules/vitest/vitest.mjs'), 'run', ...options, ...filters];
  return spawnSync(process.execPath, command, { cwd, stdio: 'inherit' }).status === 0;
}

function skip(reason: string): boolean {
  console.log(`Skipped: ${reason}`);
  return true;
}

const suites: Record<string, () => boolean> = {
  /** Every test, at full length. */
  long: () => vitest(['--mode', 'all']),
  /** Five minutes of injected faults. */
  chaos: () => vitest(['--mode', 'chaos']),
  /** The last release on the tables of this one: what fails there would fail in a process that is not restarted yet. */
  previous: () => {
    if (!has('the history of the repository')) return skip(`${released.version} is not in the history here`);
    const { folder, remove } = previousRelease();
    const hasPassed = vitest(['--config', path.resolve('test/previous/vitest.config.ts')], folder);
    remove();
    return hasPassed;
  },
  /** Both APIs on a database with Citus and worker nodes. */
  distributed: () =>
    process.env.TEST_DATABASE_URL
      ? vitest(['--mode', 'distributed'])
      : skip('TEST_DATABASE_URL names no database with Citus. See docs/scaling.md.'),
};

const names = chosen === undefined ? Object.keys(suites) : [chosen];
const unknown = names.find((name) => !Object.hasOwn(suites, name));
if (unknown !== undefined)
  console.error(`There is no ${unknown}. There are: ${Object.keys(suites).join(', ')}`);
const hasPassed =
  unknown === undefined && (await isBuilt()) && names.every((name) => suites[name]?.() === true);
if (!hasPassed) process.exitCode = 1;
