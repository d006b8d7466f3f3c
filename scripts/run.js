// `node scripts/run.js NAME [ARGUMENTS]`: builds what is outdated, then runs the service (`start`), a command of
// src/commands, a benchmark (`bench NAME`), or a script beside this one. Plain JavaScript: an older Node must be able to
// say that it is too old.
import './prerequisites.js';
import { spawnSync } from 'node:child_process';

const { isBuilt } = await import('./build.ts');
const { heapOf, MALLOC } = await import('./node-options.ts');

const [name = '', ...given] = process.argv.slice(2);

/** They build by themselves. */
const SCRIPTS = ['dev', 'check', 'check-quick', 'test-all'];

function argumentsOfNode() {
  if (SCRIPTS.includes(name)) return [`scripts/${name}.ts`, ...given];
  if (name === 'bench') return ['bench/run.ts', ...given];
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
if (SCRIPTS.includes(name) || (await isBuilt())) {
  become(args, name === 'start' ? { ...MALLOC, ...process.env } : process.env);
} else process.exitCode = 1;
