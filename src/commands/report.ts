import type { OnProgress } from '../backup/format.js';
import type { Proof } from '../backup/proof.js';

/** In milliseconds, between lines of progress. */
const INTERVAL = 2_000;

export const rowsOf = (counts: Record<string, number>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

export const inWords = (number: number): string => number.toLocaleString('en');

/** Prints how far a command has come, for whoever watches. The standard output is for results. */
export function progress(counts: Record<string, number> = {}): OnProgress {
  let nextLineAt = performance.now() + INTERVAL;
  return (table, rows) => {
    if (!process.stderr.isTTY || performance.now() < nextLineAt) return;
    const of = table in counts ? ` of ${inWords(counts[table] ?? 0)}` : '';
    console.error(`  ${table}: ${inWords(rows)}${of}`);
    nextLineAt = performance.now() + INTERVAL;
  };
}

/** Says what was restored, and returns the exit code: not 0 for counters that were already wrong. */
export function restored(counts: Record<string, number>, { drifts }: Proof): number {
  console.log(
    `Restored ${inWords(counts.users ?? 0)} users, ${inWords(rowsOf(counts))} rows, and verified them.`,
  );
  if (drifts === 0) return 0;
  console.error(
    `${inWords(drifts)} counters differ from their history, as they did when the backup was made: see npm run streaks:verify.`,
  );
  return 1;
}
