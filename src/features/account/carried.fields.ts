import { shared } from '../../base/carried-schema.js';
import { AT } from '../../rest/route.js';

export const accountFields = {
  name: { type: 'string' },
  email: { type: 'string' },
  profilePicture: { type: ['string', 'null'] },
  timeZone: { description: 'Null: the days of UTC.', type: ['string', 'null'] },
  dayStartsAt: { type: 'integer', minimum: 0, maximum: 6 },
  weekStartsOn: { enum: ['MONDAY', 'SUNDAY', 'SATURDAY'] },
  language: { description: 'Null: that of the device.', enum: ['EN', 'DE', 'ES', 'FR', 'PT_BR', null] },
  dayReminder: { description: 'Null: none.', ...shared.time },
  createdAt: shared.instant,
};

export const accountExample = {
  name: 'Ana',
  email: 'ana@example.com',
  profilePicture: null,
  timeZone: null,
  dayStartsAt: 0,
  weekStartsOn: 'MONDAY',
  language: null,
  dayReminder: null,
  createdAt: AT,
};
