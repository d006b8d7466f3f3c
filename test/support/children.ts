import { type ChildProcess, spawnSync } from 'node:child_process';

/** The living processes that a process has started, oldest first. A dead one is listed until its parent has noticed. */
export function childrenOf({ pid }: Pick<ChildProcess, 'pid'>): number[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' });
  const found = stdout.split('\n').map((line) => line.trim().split(/\s+/));
  const children = found.flatMap(([child, parent, state = '']) =>
    Number(parent) === pid && !state.startsWith('Z') ? [Number(child)] : [],
  );
  return children.sort((one, other) => one - other);
}

/** As `ps` has it: R and S run, T is stopped, Z is dead; empty for one that is gone. */
export const stateOf = (pid: number): string =>
  spawnSync('ps', ['-o', 'stat=', '-p', `${pid}`], { encoding: 'utf8' }).stdout.trim();
