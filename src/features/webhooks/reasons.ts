import type { ReasonTable } from '../../base/errors.js';

export const webhookReasons = {
  WEBHOOKS_OFF: {
    codes: ['BAD_USER_INPUT'],
    meaning: 'The operator of this service allows no webhooks (`WEBHOOK_HOSTS` is not set).',
    advice: 'Read the events instead: by `events`, or the subscription.',
  },
  ADDRESS_REFUSED: {
    codes: ['BAD_USER_INPUT'],
    meaning: 'The service sends nothing to this address: its operator has not allowed it (`WEBHOOK_HOSTS`).',
    advice: 'Give another: where every public address is allowed, one by https on port 443.',
  },
  HAS_WEBHOOKS: {
    codes: ['BAD_USER_INPUT'],
    meaning: 'The feed feeds webhooks, so it cannot be turned off.',
    advice: 'Delete the webhooks first.',
  },
} satisfies ReasonTable;

declare module '../../base/errors.js' {
  interface ReasonsOfFeatures extends Record<keyof typeof webhookReasons, unknown> {}
}
