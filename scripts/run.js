// `node scripts/run.js NAME [ARGUMENTS]`: builds what is outdated, then runs the service (`start`), a command of
// src/commands, or a benchmark (`bench NAME`). Plain JavaScript: an older Node must be able to say that it is too old.
import './node-version.js';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const { isBuilt } = await import('./build.ts');
const { heapOf, MALLOC } = await import('./node-options.ts');

const [name = '', ...given] = process.argv.slice(2);

/** They build by themselves. */
const SCRIPTS = ['dev', 'check-quick'];

function argumentsOfNode() {
  if (SCRIPTS.includes(name)) return [`scripts/${name}.ts`, ...given];
  if (name === 'bench') {
    const [benchmark = '-', ...others] = given;
    return benchmark.startsWith('-')
      ? ['bench/comparison.ts', ...given]
      : [`bench/${benchmark}.ts`, ...others];
  }
  const script = name === 'start' ? 'main.js' : `commands/${name}.js`;
  return [...heapOf(script), `dist/src/${script}`, ...given];
}

/** In the place of this process, so that signals reach it. Windows has no such thing, and no such signals. */
function become(args, env) {
  const { execPath } = process;
  if (process.execve && process.platform !== 'win32') process.execve(execPath, [execPath, ...args], env);
  process.exitCode = spawnSync(execPath, args, { env, stdio: 'inherit' }).status ?? 1;
}

const args = argumentsOfNode();
if (name === 'bench' && !existsSync(args[0])) {
  console.error(`There is no benchmark ${given[0]}: docs/performance.md names them.`);
  process.exitCode = 1;
} else if (SCRIPTS.includes(name) || (await isBuilt())) {
  become(args, name === 'start' ? { ...MALLOC, ...process.env } : process.env);
} else process.exitCode = 1;
