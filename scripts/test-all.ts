import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { isBuilt } from './build.ts';

// `npm run test:all [-- NAME [FILTER…]]`: what takes long, one after the other until something fails, or one of them.

const [chosen, ...filters] = process.argv.slice(2);

function vitest(options: string[]): boolean {
  const command = [path.resolve('node_modules/vitest/vitest.mjs'), 'run', ...options, ...filters];
  return spawnSync(process.execPath, command, { stdio: 'inherit' }).status === 0;
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
