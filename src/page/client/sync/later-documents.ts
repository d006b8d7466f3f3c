// Operations that few visits need: they are loaded with what asks them. A test holds them against the schema.

import { mutation, ONE, SESSION } from './mutation.js';

const SERVICE = 'signInService { sendsMail isSignUpOpen providers { id name url signOutUrl } }';

export const SIGN_IN_SERVICE = `query SignInService { ${SERVICE} }`;

/** What was done of a habit on a day, latest first. */
export const DAY_DONE = `query DayDone($taskId: ID!, $day: Date!) {
  completions(taskId: $taskId, from: $day, to: $day, first: 50) { nodes { id amount note completedAt } }
}`;

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

export const DELETE_IDENTITY = mutation('deleteIdentity', ONE, 'deletedId');

export const SIGN_UP = mutation('signUp', { input: 'SignUpInput!' }, SESSION);

export const LOG_IN = mutation('logIn', { input: 'LogInInput!' }, SESSION);

export const SIGN_OUT = mutation('signOut', {}, 'signedOutAt');

export const SIGN_OUT_EVERYWHERE = mutation('signOutEverywhere', {}, SESSION);

export const DELETE_ACCOUNT = mutation('deleteMyAccount', { password: 'String' }, 'deletedAt');

/** A habit's own view: days of a range, and what became of those of the last half year. */
export const HABIT = `query Habit($id: ID!, $first: Date!, $last: Date!, $from: Date!, $to: Date!) {
  task(id: $id) {
    completionCount score
    calendar(from: $first, to: $last) { date state isSkipped amount completionCount notes }
    statistics(from: $from, to: $to) {
      rate
      byWeekday { weekday dueCount keptCount }
      by(period: WEEK) { from dueCount keptCount }
    }
  }
}`;

/** Days before those. */
export const EARLIER = `query Earlier($id: ID!, $first: Date!, $last: Date!) {
  task(id: $id) { calendar(from: $first, to: $last) { date state isSkipped amount completionCount notes } }
}`;

const BOARD_DAYS = `id
      statistics(from: $first, to: $last) { rate }
      calendar(from: $first, to: $last) { date state isSkipped amount completionCount }`;

/** What the last days asked for, archived habits too. */
export const WEEK = 'query Week { me { calendar(last: 7) { date dueCount keptCount } } }';

/** All habits by day. */
export const BOARD = `query Board($first: Date!, $last: Date!, $after: String) {
  tasks(first: 50, after: $after) {
    nodes {
      ${BOARD_DAYS}
    }
    pageInfo { hasNextPage endCursor }
  }
}`;

/** One of them. */
export const BOARD_ROW = `query BoardRow($id: ID!, $first: Date!, $last: Date!) {
  task(id: $id) {
      ${BOARD_DAYS}
  }
}`;

/** The challenges to choose from. */
export const CHALLENGE_TEMPLATES =
  'query ChallengeTemplates { challengeTemplates { id title description durationDays } }';

/** The challenges that are over. */
export const PAST_CHALLENGES = `query PastChallenges {
  challenges(first: 100) {
    nodes { id status template { title } progress { firstDay daysDone daysTotal isTracked } }
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

export const MOVE = mutation('moveTask', { id: 'ID!', behindTaskId: 'ID', section: 'String' }, 'task { id }');

export const PAUSE = mutation('createPause', { input: 'CreatePauseInput!' }, 'pause { id }');

export const END_PAUSE = mutation('updatePause', { id: 'ID!', input: 'UpdatePauseInput!' }, 'pause { id }');

export const DELETE_PAUSE = mutation('deletePause', ONE, 'deletedId');

export const CREATE_TASK = mutation(
  'createTask',
  { input: 'CreateTaskInput!', idempotencyKey: 'String' },
  'isReplayed task { id title description points colour icon tags section schedule { weekdays everyDays timesPer { count period } } hasGraceDay target { amount unit kind per } step }',
);

export const UPDATE_TASK = mutation('updateTask', { id: 'ID!', input: 'UpdateTaskInput!' }, 'task { id }');

export const ARCHIVE = mutation('archiveTask', ONE, 'task { id }');

export const DELETE_TASK = mutation('deleteTask', ONE, 'deletedId');

export const RESTORE = mutation('unarchiveTask', ONE, 'task { id }');

export const CHANGE_PASSWORD = mutation('changePassword', { input: 'ChangePasswordInput!' }, 'user { id }');

export const CHANGE_EMAIL = mutation('changeEmail', { input: 'ChangeEmailInput!' }, 'user { id }');

export const UPDATE_PROFILE = mutation('updateProfile', { input: 'UpdateProfileInput!' }, 'user { id }');
