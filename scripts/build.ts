import { spawnSync } from 'node:child_process';
import { existsSync, globSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';

// `node scripts/build.ts [--if-needed]`: the service and its pages, from the sources into dist.

const DONE = 'dist/.built';
const SOURCES = ['src/**/*', 'migrations/*', 'mikro-orm.config.ts', 'tsconfig.json', 'package-lock.json'];

const changedAt = (file: string) => statSync(file).mtimeMs;

function isUpToDate(): boolean {
  if (!existsSync(DONE)) return false;
  const builtAt = changedAt(DONE);
  return SOURCES.flatMap((pattern) => globSync(pattern)).every((file) => changedAt(file) <= builtAt);
}

function run(tool: string, ...args: string[]): void {
  const { status } = spawnSync(tool, args, { stdio: 'inherit', shell: process.platform === 'win32' });
  if (status !== 0) process.exit(status ?? 1);
}

if (!(process.argv.includes('--if-needed') && isUpToDate())) {
  const startedAt = new Date();
  rmSync('dist', { recursive: true, force: true });
  run('tsc');
  run('vite', 'build', 'src/graphql/playground', '--logLevel', 'warn');
  writeFileSync(DONE, '');
  utimesSync(DONE, startedAt, startedAt); // what changed meanwhile is newer
}
