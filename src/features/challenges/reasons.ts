import type { ReasonTable } from '../../base/errors.js';

export const challengesReasons = {
  CHALLENGE_ACTIVE: {
    codes: ['BAD_USER_INPUT'],
    meaning: 'The user has an active challenge already.',
    advice: 'Show that challenge, and offer to end it.',
  },
  CHALLENGE_ENDED: {
    codes: ['BAD_USER_INPUT'],
    meaning: 'The challenge has ended in the other way.',
    advice: 'Read the challenge again.',
  },
  NO_ACTIVE_CHALLENGE: {
    codes: ['BAD_USER_INPUT'],
    meaning: 'The task names a challenge that the user has not accepted.',
    advice: 'Leave the challenge out, or have it accepted first.',
  },
} satisfies ReasonTable;

declare module '../../base/errors.js' {
  interface ReasonsOfFeatures extends Record<keyof typeof challengesReasons, unknown> {}
}
