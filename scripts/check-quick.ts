import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { testsOf } from './room-tests.ts';

const HELP = `npm run check:quick

For use while you write: the quick tests of the folders that changed, the house rules, code, types and API files. It goes
by folder, because by imports nearly every test depends on every file, and through all of its checks, whatever the first
ones find. A changed test or snapshot runs that test only. Tests run first, those without a database before those with
one, and from the sources: a build comes before them only where there is none, or for commands, settings and the page.
It has no options; npm run check runs everything.`;

const [given] = process.argv.slice(2);
if (given !== undefined) {
  console.log(HELP);
  process.exit(given === '--help' ? 0 : 1);
}

const git = (...args: string[]) =>
  spawnSync('git', args, { encoding: 'utf8' }).stdout.split('\n').filter(Boolean);

const open = [...git('diff', '--name-only', 'HEAD'), ...git('ls-files', '--others', '--exclude-standard')];
const changed = open.length > 0 ? open : git('diff', '--name-only', 'HEAD~1');

/** Tests that only read sources and pages, and take a moment. */
const rules = ['test/house/house-rules', 'test/house/docs', 'test/graphql/schema-rules'];

/** Some of these run what is built. */
const ON_BUILT = /^test\/(commands|config|page)\//;

const passes = (command: string, ...args: string[]) =>
  spawnSync(command, args, { stdio: 'inherit', shell: process.platform === 'win32' }).status === 0;

const passesBuild = () => passes('node', 'scripts/build.js', '--if-needed');
const tests = [...new Set([...rules, ...changed.flatMap(testsOf)])];
const isBuiltFirst = !existsSync('dist') || tests.some((test) => ON_BUILT.test(test));
const passTests = (project: string) =>
  passes('npx', 'vitest', 'run', '--project', project, '--retry', '0', '--passWithNoTests', ...tests);
const checks = {
  standalone: () => (!isBuiltFirst || passesBuild()) && passTests('standalone'),
  postgresql: () => passTests('postgresql'),
  code: () => passes('node', 'scripts/check.ts', 'code'),
  types: () => passes('node', 'scripts/check.ts', 'types'),
  schema: () => passesBuild() && passes('node', 'scripts/check.ts', 'schema'),
};
const failed = Object.entries(checks).flatMap(([name, check]) => (check() ? [] : [name]));
console.log(failed.length > 0 ? `check:quick FAILED: ${failed.join(', ')}` : 'check:quick passed');
if (failed.length > 0) process.exitCode = 1;
