import type { ReasonTable } from '../../base/errors.js';

export const accountReasons = {
  INVALID_CREDENTIALS: {
    codes: ['UNAUTHENTICATED'],
    meaning:
      'The e-mail address or the password is wrong. Where a password proves who is logged in, `fields` names it, and the token stays good.',
    advice: 'Let the person try again.',
  },
  ACCOUNT_SUSPENDED: {
    codes: ['FORBIDDEN'],
    meaning: 'The password is right, and the operator of this service has suspended the account.',
    advice: 'Send the person to the operator. Nothing of theirs is lost.',
  },
  EMAIL_TAKEN: {
    codes: ['BAD_USER_INPUT'],
    meaning: 'Another account has this e-mail address.',
    advice: 'Offer to log in instead.',
  },
  SIGN_UP_CLOSED: {
    codes: ['FORBIDDEN'],
    meaning: 'The operator of this service makes the accounts (`SIGN_UP=closed`).',
    advice: 'Show the log-in only, and send people to the operator.',
  },
} satisfies ReasonTable;

declare module '../../base/errors.js' {
  interface ReasonsOfFeatures extends Record<keyof typeof accountReasons, unknown> {}
}
