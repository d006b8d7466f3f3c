import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { startService, temporaryFolder } from '../support/process.js';
import { signUp } from '../support/world.js';

/** In megabytes: what the system has given to a process. */
const residentOf = (pid: number | undefined): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;

/** A process that has made its database itself keeps half a gigabyte. */
const MOST = 400;

describe.runIf(process.platform === 'linux')('The memory of a service on the embedded database', () => {
  it('is that of an open database, also after the very first start', async () => {
    const service = startService({ DATA_DIR: temporaryFolder() });
    const ana = await signUp(await service.listening());
    const task = await ana.hasTask();
    for (let time = 0; time < 200; time += 1) await ana.completes(task);
    await eventually(() => residentOf(service.child.pid) < MOST); // compiling takes more, for seconds
    expect(await service.stop()).toBe(0);
  });
});
