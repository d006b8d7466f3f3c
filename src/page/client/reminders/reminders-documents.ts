// Operations on reminders and check-in links: they are loaded with what asks them. A test holds them against the schema.

import { mutation, ONE } from '../sync/mutation.js';

const CHANNEL = 'id kind name state lastSentAt lastError';

export const REMINDERS = `query Reminders {
  me { id dayReminder channels { ${CHANNEL} } }
  reminderService { kinds pushKey }
}`;

export const ADD_CHANNEL = mutation('addChannel', { input: 'AddChannelInput!' }, 'channel { id }');

export const DELETE_CHANNEL = mutation('deleteChannel', ONE, 'deletedId');

export const TEST_CHANNEL = mutation('testChannel', ONE, 'isDelivered error');

export const TASK_REMINDERS =
  'query TaskReminders($id: ID!) { task(id: $id) { id reminders { at weekdays } } }';

export const CHECK_IN_LINKS =
  'query CheckInLinks($id: ID!) { task(id: $id) { id checkInLinks { id name amount lastUsedAt } } }';

export const CREATE_LINK = mutation(
  'createCheckInLink',
  { taskId: 'ID!', name: 'String!', amount: 'Float' },
  'url',
);

export const DELETE_LINK = mutation('deleteCheckInLink', ONE, 'deletedId');
