import { type ChildProcess, spawnSync } from 'node:child_process';

/** The processes that a process has started, oldest first. */
export function childrenOf({ pid }: Pick<ChildProcess, 'pid'>): number[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  const pairs = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  const children = pairs.flatMap(([child, parent]) => (parent === pid && child !== undefined ? [child] : []));
  return children.sort((one, other) => one - other);
}

/** As `ps` has it: R and S run, T is stopped, Z is dead; empty for one that is gone. */
export const stateOf = (pid: number): string =>
  spawnSync('ps', ['-o', 'stat=', '-p', `${pid}`], { encoding: 'utf8' }).stdout.trim();
