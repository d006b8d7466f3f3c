import { shared } from '../../../base/carried-schema.js';
import { AT } from '../../../rest/route.js';

export const completionFields = {
  task: { description: 'The id of one of the tasks.', type: 'integer', minimum: 1 },
  points: { description: 'As awarded; 0 of a limit.', type: 'number', minimum: 0 },
  completedAt: shared.instant,
  day: { description: 'The day of the user that it counts for.', ...shared.day },
  recordedAt: shared.instant,
  amount: {
    description:
      'Left out if none was given: then it counts as the whole target, and as 1 for a limit or a target of a week or month.',
    type: ['number', 'null'],
    exclusiveMinimum: 0,
  },
  note: { description: 'Left out if there is none.', type: ['string', 'null'] },
};

export const completionExample = { task: 1, points: 15, completedAt: AT, day: '2026-11-21', recordedAt: AT };
