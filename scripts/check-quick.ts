import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

// `npm run check:quick`, for use while you write: types, code, API files, the house rules, and the tests of the
// folders that changed, on one database. It goes by folder, because by imports nearly every test depends on every
// file. `npm run check` runs everything.

const git = (...args: string[]) =>
  spawnSync('git', args, { encoding: 'utf8' }).stdout.split('\n').filter(Boolean);

const open = [...git('diff', '--name-only', 'HEAD'), ...git('ls-files', '--others', '--exclude-standard')];
const changed = open.length > 0 ? open : git('diff', '--name-only', 'HEAD~1');

/** Tests that only read sources and pages, and take a moment. */
const rules = ['house-rules', 'docs', 'schema-rules'].map((name) => `test/standalone/${name}.test.ts`);

/** `src/rest/router.ts` is tested in `test/rest/`. A file without a folder of its own is tested in `test/faces/`. */
function testsOf(file: string): string[] {
  if (/^test\/.*\.test\.ts$/.test(file)) return existsSync(file) ? [file] : [];
  const [, top, room = ''] = /^(src|test)\/(?:([^/]+)\/)?/.exec(file) ?? [];
  if (top !== 'src') return [];
  return [`test/${existsSync(`test/${room}`) && room ? room : 'faces'}/`];
}

function run(command: string, ...args: string[]): void {
  const { status } = spawnSync(command, args, { stdio: 'inherit', shell: process.platform === 'win32' });
  if (status !== 0) process.exit(status ?? 1);
}

for (const check of ['check:types', 'check:code', 'check:schema']) run('npm', 'run', '--silent', check);
const tests = [...new Set([...rules, ...changed.flatMap(testsOf)])];
run('npx', 'vitest', 'run', '--project', 'postgresql', '--project', 'standalone', ...tests);
