import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/** In bytes of the heap: what is still needed after a piece of work, besides what was needed before. */
export async function memoryTakenBy(work: () => Promise<unknown>): Promise<number> {
  const before = inUse();
  await work();
  await new Promise((resolve) => setImmediate(resolve));
  return inUse() - before;
}

function inUse(): number {
  collect();
  return process.memoryUsage().heapUsed; // without the buffers of an embedded database
}
