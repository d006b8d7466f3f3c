import { type ChildProcess, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

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

/** How many open connections to the port of a service a process holds. */
export function connectionsOf(pid: number, { base }: { base: string }): number {
  const port = Number(new URL(base).port).toString(16).toUpperCase().padStart(4, '0');
  const established = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => local?.endsWith(`:${port}`) && state === '01')
    .map((columns) => `socket:[${columns[9]}]`);
  const sockets = new Set(established);
  return readdirSync(`/proc/${pid}/fd`).filter((fd) => sockets.has(linkOf(`/proc/${pid}/fd/${fd}`))).length;
}

function linkOf(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return ''; // closed meanwhile
  }
}
