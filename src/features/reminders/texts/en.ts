export interface MessageTexts {
  habits: (count: number) => string;
  /** The first sentence of the day's reminder. */
  left: (count: number, names: string) => string;
  /** Of a habit without an amount and a run. */
  open: string;
  amountOf: (amount: string, target: string, unit: string) => string;
  /** How long the run of a habit is. */
  run: Record<'DAYS' | 'TIMES' | 'WEEKS' | 'MONTHS', (count: number) => string>;
  runEnds: (days: number) => string;
  done: string;
  testTitle: string;
  test: string;
}

export const en: MessageTexts = {
  habits: (count) => (count === 1 ? '1 habit' : `${count} habits`),
  left: (count, names) => `${count} left: ${names}.`,
  open: 'Not done yet today.',
  amountOf: (amount, target, unit) => `${amount} of ${target} ${unit}`,
  run: {
    DAYS: (count) => (count === 1 ? '1 day so far.' : `${count} days in a row.`),
    TIMES: (count) => (count === 1 ? 'Once so far.' : `${count} times in a row.`),
    WEEKS: (count) => (count === 1 ? '1 week so far.' : `${count} weeks in a row.`),
    MONTHS: (count) => (count === 1 ? '1 month so far.' : `${count} months in a row.`),
  },
  runEnds: (days) => `Your run of ${days === 1 ? '1 day' : `${days} days`} ends tonight.`,
  done: 'Done',
  testTitle: 'Steady',
  test: 'Reminders arrive here.',
};
