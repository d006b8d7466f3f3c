import { spawnSync } from 'node:child_process';

/**
 * Runs Node in the place of this process, so that signals reach it. Windows has no such thing, and no such signals.
 *
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 */
export function become(args, env) {
  const { execPath } = process;
  if (process.execve && process.platform !== 'win32') process.execve(execPath, [execPath, ...args], env);
  process.exitCode = spawnSync(execPath, args, { env, stdio: 'inherit' }).status ?? 1;
}
