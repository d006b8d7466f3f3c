import type { ReasonTable } from '../../base/errors.js';

export const exportImportReasons = {
  ACCOUNT_NOT_EMPTY: {
    codes: ['BAD_USER_INPUT'],
    meaning: 'The account has tasks, and the file was not sent with `?into=existing`.',
    advice: 'Ask whether the file should be added to what is there, and send it with `?into=existing`.',
  },
} satisfies ReasonTable;

declare module '../../base/errors.js' {
  interface ReasonsOfFeatures extends Record<keyof typeof exportImportReasons, unknown> {}
}
