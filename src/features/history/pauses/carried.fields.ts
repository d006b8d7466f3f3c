import { shared } from '../../../base/carried-schema.js';

export const pauseFields = {
  task: {
    description: "The id of one of the tasks; null: all, and the user's own streak.",
    type: ['integer', 'null'],
    minimum: 1,
  },
  from: shared.day,
  until: {
    description: 'The last day; null: open.',
    type: ['string', 'null'],
    pattern: '^\\d{4}-\\d\\d-\\d\\d$',
  },
  note: { type: ['string', 'null'] },
};

export const skipFields = {
  task: { description: 'The id of one of the tasks.', type: 'integer', minimum: 1 },
  date: shared.day,
  note: { type: ['string', 'null'] },
};
