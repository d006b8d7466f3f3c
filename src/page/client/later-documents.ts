// Operations that few visits need: they are loaded with what asks them. A test holds them against the schema.

import { mutation, ONE, SESSION } from './mutation.js';

const SERVICE = 'signInService { mail signUp oidc { id name url signOutUrl } }';

export const SIGN_IN_SERVICE = `query SignInService { ${SERVICE} }`;

export const REQUEST_RESET = mutation('requestPasswordReset', { email: 'String!' }, 'requested');

export const RESET = mutation('resetPassword', { token: 'String!', newPassword: 'String!' }, 'email');

export const CONFIRM = mutation('confirmEmail', { token: 'String!' }, 'user { id email }');

export const REQUEST_CONFIRMATION = mutation('requestEmailConfirmation', {}, 'requested');

export const UNDO_EMAIL = mutation('undoEmailChange', { token: 'String!' }, 'email');

export const EXCHANGE = mutation('exchangeLogIn', { code: 'String!' }, SESSION);

export const WAYS_IN = `query WaysIn {
  me { id email emailConfirmedAt identities { id provider connectedAt } }
  ${SERVICE}
}`;

export const CONNECT = mutation('connectIdentity', {}, 'url');

export const DISCONNECT = mutation('disconnectIdentity', ONE, 'identityId');

export const SIGN_UP = mutation('signUp', { input: 'SignUpInput!' }, SESSION);

export const LOG_IN = mutation('logIn', { input: 'LogInInput!' }, SESSION);

export const SIGN_OUT = mutation('signOut', {}, 'signedOutAt');

export const SIGN_OUT_EVERYWHERE = mutation('signOutEverywhere', {}, SESSION);

export const DELETE_ACCOUNT = mutation('deleteMyAccount', { password: 'String' }, 'deletedAt');

const API_TOKEN = 'id name scopes ending expiresAt lastUsedAt';

export const API_TOKENS = `query ApiTokens { apiTokens { ${API_TOKEN} } }`;

export const CREATE_API_TOKEN = mutation('createApiToken', { input: 'CreateApiTokenInput!' }, 'token');

export const REVOKE_API_TOKEN = mutation('revokeApiToken', ONE, 'apiToken { id }');

/** A habit's own view: days of a range, and what became of those of the last half year. */
export const HABIT = `query Habit($id: ID!, $first: Date!, $last: Date!, $from: Date!, $to: Date!) {
  task(id: $id) {
    completionCount
    calendar(from: $first, to: $last) { date state isSkipped amount completions notes }
    statistics(from: $from, to: $to) {
      rate
      byWeekday { weekday due kept }
      by(period: WEEK) { from due kept }
    }
  }
}`;

/** Days before those. */
export const EARLIER = `query Earlier($id: ID!, $first: Date!, $last: Date!) {
  task(id: $id) { calendar(from: $first, to: $last) { date state isSkipped amount completions notes } }
}`;

/** All habits by day. */
export const BOARD = `query Board($first: Date!, $last: Date!, $after: String) {
  tasks(first: 50, after: $after) {
    nodes { id calendar(from: $first, to: $last) { date state } }
    pageInfo { hasNextPage endCursor }
  }
}`;

/** The challenges to choose from. */
export const CHALLENGE_TEMPLATES =
  'query ChallengeTemplates { challengeTemplates { id title description durationDays } }';

/** The challenges that are over. */
export const PAST_CHALLENGES = `query PastChallenges {
  challenges(first: 100) {
    nodes { id status createdAt template { title } progress { daysDone daysTotal tracked } }
  }
}`;

const TASK_AND_DAY = { taskId: 'ID!', date: 'Date!' };

export const SKIP = mutation('skipDay', { ...TASK_AND_DAY, note: 'String' }, 'date');

export const UNSKIP = mutation('unskipDay', TASK_AND_DAY, 'date');

export const ACCEPT_CHALLENGE = mutation('acceptChallenge', { templateId: 'ID!' }, 'challenge { id }');

export const COMPLETE_CHALLENGE = mutation('completeChallenge', ONE, 'challenge { id }');

export const ABANDON_CHALLENGE = mutation('abandonChallenge', ONE, 'challenge { id }');

export const UPDATE_NOTES = mutation(
  'updateChallengeNotes',
  { id: 'ID!', notes: 'String!' },
  'challenge { id }',
);

export const UPDATE_NOTE = mutation(
  'updateCompletionNote',
  { id: 'ID!', note: 'String' },
  'completion { id }',
);

export const MOVE = mutation('moveTask', { id: 'ID!', after: 'ID', section: 'String' }, 'task { id }');

export const PAUSE = mutation('pause', { taskId: 'ID', from: 'Date!', until: 'Date' }, 'pause { id }');

export const END_PAUSE = mutation('endPause', { id: 'ID!', until: 'Date!' }, 'pause { id }');

export const CREATE_TASK = mutation(
  'createTask',
  { input: 'CreateTaskInput!', idempotencyKey: 'String' },
  'replayed task { id title description points colour icon tags section schedule { weekdays every times per } target { amount unit kind per } }',
);

export const UPDATE_TASK = mutation('updateTask', { id: 'ID!', input: 'UpdateTaskInput!' }, 'task { id }');

export const ARCHIVE = mutation('archiveTask', ONE, 'task { id }');

export const DELETE_TASK = mutation('deleteTask', ONE, 'taskId');

export const RESTORE = mutation('unarchiveTask', ONE, 'task { id }');

export const UPDATE_PROFILE = mutation('updateProfile', { input: 'UpdateProfileInput!' }, 'user { id }');
