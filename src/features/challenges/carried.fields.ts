import { shared } from '../../base/carried-schema.js';

export const challengeFields = {
  templateId: { type: 'integer', minimum: 1 },
  templateTitle: {
    description: 'By which another server finds the template; earlier releases wrote the id alone.',
    type: ['string', 'null'],
  },
  status: { enum: ['ACTIVE', 'COMPLETED', 'ABANDONED'] },
  startDate: shared.instant,
  completedAt: shared.instantOrNull,
  notes: { type: ['string', 'null'] },
  createdAt: shared.instant,
  updatedAt: shared.instant,
};
