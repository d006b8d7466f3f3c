import type { Counts, OnProgress } from '../backup/format.js';
import type { Restored } from '../backup/load.js';

/** In milliseconds, between lines of progress. */
const INTERVAL = 2_000;

const inWords = (number: number): string => number.toLocaleString('en');

const counted = (number: number, one: string): string =>
  `${inWords(number)} ${one}${number === 1 ? '' : 's'}`;

/** What a backup holds, in words. */
export function sizeOf(counts: Counts): string {
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return `${counted(counts.users ?? 0, 'user')}, ${counted(rows, 'row')}`;
}

/** Prints how far a command has come, for whoever watches. The standard output is for results. */
export function progress(counts: Counts = {}): OnProgress {
  let nextLineAt = performance.now() + INTERVAL;
  return (table, rows) => {
    if (!process.stderr.isTTY || performance.now() < nextLineAt) return;
    const of = table in counts ? ` of ${inWords(counts[table] ?? 0)}` : '';
    console.error(`  ${table}: ${inWords(rows)}${of}`);
    nextLineAt = performance.now() + INTERVAL;
  };
}

/** Says what was restored, and returns the exit code: not 0 for counters that were already wrong. */
export function restored({ counts, drifts, deletedAgain }: Restored): number {
  console.log(`Restored ${sizeOf(counts)}, and verified them.`);
  if (deletedAgain > 0)
    console.log(
      `${counted(deletedAgain, 'account')} had been deleted since, and ${deletedAgain === 1 ? 'was' : 'were'} deleted again.`,
    );
  if (drifts === 0) return 0;
  console.error(
    `${counted(drifts, 'counter')} ${drifts === 1 ? 'differs' : 'differ'} from the history, as when the backup was made: see npm run streaks:verify.`,
  );
  return 1;
}
