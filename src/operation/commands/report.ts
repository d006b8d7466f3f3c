import { inWords, progressLines } from '../../base/commands/report.js';
import type { Counts, OnProgress } from '../backup/format.js';
import type { Restored } from '../backup/load.js';

const counted = (number: number, one: string): string =>
  `${inWords(number)} ${one}${number === 1 ? '' : 's'}`;

/** What a backup holds, in words. */
export function sizeOf(counts: Counts): string {
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return `${counted(counts.users ?? 0, 'user')}, ${counted(rows, 'row')}`;
}

/** Progress through the rows of tables, of which there are so many. */
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
    `${counted(drifts, 'counter')} ${drifts === 1 ? 'differs' : 'differ'} from the history, as when the backup was made: see steady streaks verify.`,
  );
  return 1;
}
