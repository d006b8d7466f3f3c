import type { ReasonTable } from '../../base/errors.js';

export const historyReasons = {
  TOO_LONG_AGO: {
    codes: ['BAD_USER_INPUT'],
    meaning:
      'It lies longer ago than `BACKDATE_HOURS` allows: it can no longer be recorded, taken back or changed.',
    advice:
      'Take the button away; of a completion that comes late, ask whether it should count for now, and send it without `at`.',
  },
  IN_FUTURE: {
    codes: ['BAD_USER_INPUT'],
    meaning:
      'It lies too far ahead: `at` more than five minutes ahead of the clock of the service, which the message tells, or a day more than a year.',
    advice:
      'Compare the clocks, correct `at` by the difference, and send it again; of a day, ask for an earlier one.',
  },
  PAUSE_OVERLAPS: {
    codes: ['BAD_USER_INPUT'],
    meaning: 'The days overlap with another pause of the same thing.',
    advice: 'Show that pause, and offer to change it.',
  },
} satisfies ReasonTable;

declare module '../../base/errors.js' {
  interface ReasonsOfFeatures extends Record<keyof typeof historyReasons, unknown> {}
}
