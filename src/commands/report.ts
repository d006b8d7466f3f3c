import type { Counts, OnProgress } from '../backup/format.js';
import type { Restored } from '../backup/load.js';

/** The time between lines of progress. */
const INTERVAL_MS = 2_000;

export const inWords = (number: number): string => number.toLocaleString('en');

/** An instant for people. */
export const toTheMinute = (instant: Date): string =>
  `${instant.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

const counted = (number: number, one: string): string =>
  `${inWords(number)} ${one}${number === 1 ? '' : 's'}`;

/** What a backup holds, in words. */
export function sizeOf(counts: Counts): string {
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return `${counted(counts.users ?? 0, 'user')}, ${counted(rows, 'row')}`;
}

/**
 * Prints how far a command has come, for whoever watches a terminal: a line now and then, and none in a pipe or a log.
 * The standard output is for results.
 */
export function progressLines(watched: { isTTY?: boolean } = process.stderr): (line: () => string) => void {
  let nextLineAt = performance.now() + INTERVAL_MS;
  return (line) => {
    if (!watched.isTTY || performance.now() < nextLineAt) return;
    console.error(`  ${line()}`);
    nextLineAt = performance.now() + INTERVAL_MS;
  };
}

/** The same for rows of tables, of which there are so many. */
export function progress(counts: Counts = {}): OnProgress {
  const tell = progressLines();
  return (table, rows) =>
    tell(() => `${table}: ${inWords(rows)}${table in counts ? ` of ${inWords(counts[table] ?? 0)}` : ''}`);
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
