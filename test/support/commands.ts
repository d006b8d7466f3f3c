import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { fixed } from '../../src/base/config/fixed.js';

/** What V8 has compiled, where the service keeps it: a command begins a quarter faster. */
export const KEPT = { NODE_COMPILE_CACHE: 'node_modules/.cache/steady/compiled' };

/** For a process with other limits than the fixed ones: by itself, with hashes that take less than a millisecond. */
export const withLimits = (limits: Partial<typeof fixed> = {}) => ({
  NODE_ENV: 'test',
  TEST_LIMITS: JSON.stringify({ hashCost: 4, ...limits }),
});

export interface Ended {
  code: number;
  output: string;
}

/** One command after the other, in one process: starting one takes half a second of work. Each `script` is one of `dist/src/operation/commands`. */
export async function inOneProcess(
  called: { script: string; args: readonly string[] }[],
  environment: Record<string, string> = {},
): Promise<Ended[]> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['test/support/in-one-process.js', JSON.stringify(called)],
    { env: { PATH: process.env.PATH, ...withLimits(), ...KEPT, ...environment }, maxBuffer: 2 ** 26 },
  );
  return JSON.parse(stdout);
}
