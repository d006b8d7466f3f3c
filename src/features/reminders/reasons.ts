import type { ReasonTable } from '../../base/errors.js';

export const remindersReasons = {
  CHANNEL_UNAVAILABLE: {
    codes: ['BAD_USER_INPUT'],
    meaning: 'This service cannot send messages that way: its operator has not set it up.',
    advice: 'Offer only what `reminderService` names.',
  },
} satisfies ReasonTable;

declare module '../../base/errors.js' {
  interface ReasonsOfFeatures extends Record<keyof typeof remindersReasons, unknown> {}
}
