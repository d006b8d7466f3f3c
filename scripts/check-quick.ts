import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

// While something is being written: types, code, schema, the rules of the house, and the tests of the folders
// that were changed, on one database. Everything imports everything at a distance, so a folder stands for its
// feature; `npm run check` looks at the rest.

const git = (...args: string[]) =>
  spawnSync('git', args, { encoding: 'utf8' }).stdout.split('\n').filter(Boolean);

const open = [...git('diff', '--name-only', 'HEAD'), ...git('ls-files', '--others', '--exclude-standard')];
const changed = open.length > 0 ? open : git('diff', '--name-only', 'HEAD~1');

/** Tests that read the sources and the pages, and are done in a moment. */
const rules = ['house-rules', 'docs', 'schema-rules'].map((name) => `test/standalone/${name}.test.ts`);

/** `src/rest/router.ts` is tested in `test/rest/`; what lies in no folder of its own, where both faces are. */
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
