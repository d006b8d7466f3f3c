import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { roomTests } from './room-tests.ts';

// `npm run check:quick`, for use while you write: types, code, API files, the house rules, and the tests of the
// folders that changed, on one database. It goes by folder, because by imports nearly every test depends on every
// file, and through all of its checks, whatever the first ones find. `npm run check` runs everything.

const git = (...args: string[]) =>
  spawnSync('git', args, { encoding: 'utf8' }).stdout.split('\n').filter(Boolean);

const open = [...git('diff', '--name-only', 'HEAD'), ...git('ls-files', '--others', '--exclude-standard')];
const changed = open.length > 0 ? open : git('diff', '--name-only', 'HEAD~1');

/** Tests that only read sources and pages, and take a moment. */
const rules = ['house-rules', 'docs', 'schema-rules'].map((name) => `test/standalone/${name}.test.ts`);

function testsOf(file: string): string[] {
  if (/^test\/.*\.test\.ts$/.test(file)) return existsSync(file) ? [file] : [];
  const [top = '', room = ''] = file.split('/');
  const isOfRoom = top === 'src' || (top === 'test' && roomTests[room] !== undefined);
  return roomTests[isOfRoom && roomTests[room] ? room : top] ?? [];
}

const passes = (command: string, ...args: string[]) =>
  spawnSync(command, args, { stdio: 'inherit', shell: process.platform === 'win32' }).status === 0;

const tests = [...new Set([...rules, ...changed.flatMap(testsOf)])];
const checks = {
  build: () => passes('node', 'scripts/build.js', '--if-needed'),
  types: () => passes('node', 'scripts/check.ts', 'types'),
  code: () => passes('node', 'scripts/check.ts', 'code'),
  schema: () => passes('node', 'scripts/check.ts', 'schema'),
  tests: () => passes('npx', 'vitest', 'run', '--project', 'postgresql', '--project', 'standalone', ...tests),
};
/** They run what was built. */
const ofBuilt = ['schema', 'tests'];
const failed: string[] = [];
for (const [name, check] of Object.entries(checks)) {
  const isSkipped = failed.includes('build') && ofBuilt.includes(name);
  if (!isSkipped && !check()) failed.push(name);
}
console.log(failed.length > 0 ? `check:quick FAILED: ${failed.join(', ')}` : 'check:quick passed');
if (failed.length > 0) process.exitCode = 1;
