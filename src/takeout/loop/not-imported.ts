/** What of Loop's has no place in Steady, in the words of the report. */
const WORDS = {
  skipped: 'days skipped (SKIP)',
  automatic: 'days that Loop filled in because of the frequency (YES_AUTO)',
  notDone: 'days marked as not done (NO)',
  unanswered: 'days without an answer (UNKNOWN)',
  missed: 'days on which an amount missed its target',
  amounts: 'amounts: a day on which the target was reached is kept as done',
  repeated: 'lines for a day that had one already: the first one counts',
  tooNew: 'days that have not begun anywhere',
  notes: 'notes',
  questions: 'questions of habits',
  frequencies: 'frequencies of habits that are not daily',
  targets: 'units and targets of habits',
  colours: 'colours of habits',
  withoutDays: 'habits without a file of their days',
};

/** How often each was met. */
export type NotImported = Record<keyof typeof WORDS, number>;

export const nothingLeftOut = (): NotImported =>
  Object.fromEntries(Object.keys(WORDS).map((name) => [name, 0])) as NotImported;

/** Neither is the user's own: Loop computes the one, and does not write the other. */
const ALWAYS = ['scores: Loop computes them', 'reminders: Loop does not write them into this file'];

/** A line for each. */
export const linesOf = (left: NotImported): string[] => [
  ...Object.entries(WORDS)
    .filter(([name]) => left[name as keyof NotImported] > 0)
    .map(([name, words]) => `${left[name as keyof NotImported].toLocaleString('en')} ${words}`),
  ...ALWAYS,
];
