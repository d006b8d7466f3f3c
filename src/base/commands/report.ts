/** The time between lines of progress. */
const INTERVAL_MS = 2_000;

export const inWords = (number: number): string => number.toLocaleString('en');

/** An instant for people. */
export const toTheMinute = (instant: Date): string =>
  `${instant.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

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
