import type { ReasonTable } from '../../base/errors.js';

export const feedReasons = {
  FEED_OFF: {
    codes: ['BAD_USER_INPUT'],
    meaning: 'The account keeps no events: its feed is off.',
    advice: 'Turn it on by `updateProfile(input: { eventFeed: true })`, and read everything anew.',
  },
  FEED_TRUNCATED: {
    codes: ['BAD_USER_INPUT'],
    meaning:
      'What follows `after` is not known: it is no longer kept, or the feed has begun anew since, by a restore or because it was turned off.',
    advice: 'Begin again: read `me { lastEventNumber }`, then the lists, then the events after that number.',
  },
} satisfies ReasonTable;

declare module '../../base/errors.js' {
  interface ReasonsOfFeatures extends Record<keyof typeof feedReasons, unknown> {}
}
