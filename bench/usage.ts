import { readdirSync, readFileSync } from 'node:fs';
import os from 'node:os';

/** In seconds, as Linux counts them. */
const TICK = 1 / 100;

const PAGE = 4_096;

interface Usage {
  pid: number;
  parent: number;
  /** In seconds: its own, and that of its children that have ended. */
  cpu: number;
  /** In megabytes. */
  memory: number;
}

function usageOf(pid: number): Usage | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [parent = 0, user = 0, system = 0, endedUser = 0, endedSystem = 0, pages = 0] = [
      1, 11, 12, 13, 14, 21,
    ].map((at) => Number(fields[at]));
    const cpu = (user + system + endedUser + endedSystem) * TICK;
    return { pid, parent, cpu, memory: (pages * PAGE) / 2 ** 20 };
  } catch {
    return undefined; // it has ended
  }
}

/** A process with its children, their children and so on. */
function familyOf(pid: number): Usage[] {
  const all = readdirSync('/proc').map(Number).filter(Number.isInteger);
  const running = all.flatMap((each) => usageOf(each) ?? []);
  const isOfIt = new Set([pid]);
  for (let known = 0; known < isOfIt.size; ) {
    known = isOfIt.size;
    for (const each of running) if (isOfIt.has(each.parent)) isOfIt.add(each.pid);
  }
  return running.filter((each) => isOfIt.has(each.pid));
}

export const memoryOf = (pid: number): number => usageOf(pid)?.memory ?? 0;

/** CPU seconds so far of a process and all below it, those that have ended included. */
export const cpuOf = (pid: number): number => familyOf(pid).reduce((sum, { cpu }) => sum + cpu, 0);

/** In megabytes: the most that a process and those below it have held, each at its own time. */
export const peakOf = (pid: number): number =>
  familyOf(pid).reduce((sum, each) => {
    const [, kilobytes = 0] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${each.pid}/status`, 'utf8')) ?? [];
    return sum + Number(kilobytes) / 1_024;
  }, 0);

/** CPU seconds so far of the whole machine. */
export const cpuOfAll = (): number =>
  os.cpus().reduce((sum, { times }) => sum + (times.user + times.nice + times.sys + times.irq) / 1_000, 0);
