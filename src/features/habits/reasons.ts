import type { ReasonTable } from '../../base/errors.js';

export const habitsReasons = {
  TASK_OF_ANOTHER: {
    codes: ['BAD_USER_INPUT'],
    meaning: 'The task belongs to another user. REST alone says so: in GraphQL it is `NOT_FOUND`.',
    advice: 'Drop the task from what you keep, and read the list again.',
    isOfRest: true,
  },
  TASK_ARCHIVED: {
    codes: ['BAD_USER_INPUT'],
    meaning: 'The task is archived.',
    advice: 'Offer to restore it.',
  },
  KEY_REUSED: {
    codes: ['BAD_USER_INPUT'],
    meaning:
      'The idempotency key was used for another task or amount, or to create a task from another input; the message says what differs.',
    advice: 'It is a fault of the client: make one key for each tap, and for each new task.',
  },
  HAS_HISTORY: {
    codes: ['BAD_USER_INPUT'],
    meaning: 'The task has completions: a goal cannot become a limit any more, nor a limit a goal.',
    advice: 'Offer to make a new task, and to archive this one.',
  },
} satisfies ReasonTable;

declare module '../../base/errors.js' {
  interface ReasonsOfFeatures extends Record<keyof typeof habitsReasons, unknown> {}
}
