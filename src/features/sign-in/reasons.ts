import type { ReasonTable } from '../../base/errors.js';

export const signInReasons = {
  MAIL_UNAVAILABLE: {
    codes: ['BAD_USER_INPUT'],
    meaning: 'This service sends no mail (`SMTP_URL` is not set).',
    advice:
      'Send people who have lost their password to the operator, who can print a link to choose a new one. No address can be confirmed.',
  },
  LINK_INVALID: {
    codes: ['BAD_USER_INPUT'],
    meaning:
      'The link was used, has expired, was replaced by a newer one, or is none of ours. With the `outcome` `APPLIED`, it has confirmed the address before.',
    advice: 'Say so, and offer to send another one.',
  },
  LAST_WAY_IN: {
    codes: ['BAD_USER_INPUT'],
    meaning: 'The log-in is the only way into the account, which has no password.',
    advice: 'Offer to set a password first, with `changePassword`.',
  },
  PROVIDER_UNAVAILABLE: {
    codes: ['BAD_USER_INPUT'],
    meaning: 'This service has no provider to log in with (`OIDC_ISSUER` is not set).',
    advice: 'Offer only the providers that `signInService` names.',
  },
} satisfies ReasonTable;

declare module '../../base/errors.js' {
  interface ReasonsOfFeatures extends Record<keyof typeof signInReasons, unknown> {}
}
