import { limits, written } from '../../../base/validation.js';
import { scheduleLimits } from '../../schedules/limits.js';

/** What of Loop's has no place in Steady, in the words of the report. */
const WORDS = {
  automatic: 'days that Loop filled in because of the frequency (YES_AUTO)',
  notDone: 'days marked as not done (NO)',
  unanswered: 'days without an answer (UNKNOWN)',
  repeated: 'lines for a day that had one already: the first one counts',
  tooNew: 'days that have not begun anywhere',
  notes: 'notes of days that were neither done nor skipped',
  cutNotes: `notes after their first ${written(limits.note)} characters`,
  questions: 'questions of habits',
  frequencies: 'frequencies that Steady does not know: the nearest that asks for no more is taken',
  shares: 'targets of a week or a month: the share of a day is to be reached once in that time',
  targets: 'targets that are no amount',
  units: `units that are empty or have more than ${scheduleLimits.unit} characters: "times", or their beginning, is taken`,
  colours: 'colours of habits that cannot be read',
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
