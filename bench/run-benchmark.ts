import { UsageError } from './built.ts';

/** Runs a benchmark; what it refuses is one line, everything else a fault with its stack. */
export async function runBenchmark(benchmark: () => Promise<unknown>): Promise<void> {
  await benchmark().catch((error: unknown) => {
    console.error(error instanceof UsageError ? error.message : error);
    process.exitCode = 1;
  });
}
