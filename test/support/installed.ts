import { spawnSync } from 'node:child_process';

/** Whether a program of the system is there; says so in the output where it is not, since tests are skipped then. */
export function isInstalled(program: string, ...args: string[]): boolean {
  const { status } = spawnSync(program, args, { stdio: 'ignore' });
  if (status !== 0) console.warn(`${[program, ...args].join(' ')} does not work here: its tests are skipped`);
  return status === 0;
}
