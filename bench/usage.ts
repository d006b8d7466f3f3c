import { readdirSync, readFileSync } from 'node:fs';

/** In seconds: the unit in which Linux counts CPU time. */
const TICK = 1 / 100;

const PAGE = 4_096;

interface Usage {
  parent: number;
  /** In seconds. */
  cpu: number;
  /** In megabytes. */
  memory: number;
}

function usageOf(pid: number): Usage | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [parent = 0, user = 0, system = 0, pages = 0] = [1, 11, 12, 21].map((at) => Number(fields[at]));
    return { parent, cpu: (user + system) * TICK, memory: (pages * PAGE) / 2 ** 20 };
  } catch {
    return undefined; // the process has ended
  }
}

export const memoryOf = (pid: number): number => usageOf(pid)?.memory ?? 0;

/** CPU seconds that a process and its children have used so far. */
export function cpuOf(pid: number): number {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  const family = pids.flatMap((each) => {
    const usage = usageOf(each);
    return usage && (each === pid || usage.parent === pid) ? usage.cpu : [];
  });
  return family.reduce((sum, cpu) => sum + cpu, 0);
}

/** CPU seconds that the whole machine has used so far. */
export function cpuOfAll(): number {
  const [user = 0, nice = 0, system = 0, _idle, _waiting, ...interrupts] =
    /^cpu +(.*)/.exec(readFileSync('/proc/stat', 'utf8'))?.[1]?.split(' ').map(Number) ?? [];
  const [hard = 0, soft = 0] = interrupts;
  return (user + nice + system + hard + soft) * TICK;
}
