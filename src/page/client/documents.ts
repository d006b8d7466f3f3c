// Every operation of this page. A test holds them against the schema.

const STREAK = 'streak { unit count longest doneToday atRisk }';

const PAUSES = 'pauses { id from until }';

const USER = `fragment U on User {
  id name email points timeZone dayStartsAt today weekStartsOn language sections
  ${STREAK}
  ${PAUSES}
  activeChallenge { ...C }
}`;

const CHALLENGE = `fragment C on Challenge {
  id notes
  template { id title description durationDays }
  progress { tracked daysTotal daysElapsed daysDone isDue }
}`;

/** With the days of the last week. */
const TASK = `fragment T on Task {
  id title description points colour icon tags section
  challengeTemplate { id }
  schedule { weekdays every times per }
  target { amount unit kind per }
  ${PAUSES}
  today { lastCompletionId periodAmount }
  ${STREAK}
  days: calendar(from: $from, to: $to) { date state amount completions }
}`;

const DAYS = 'calendar(from: $from, to: $to) { date completions points }';

const ONE = { id: 'ID!' };

const SESSION = 'token user { id }';

/** Of a field, whose arguments are the variables. */
function mutation(field: string, types: Record<string, string>, answer: string): string {
  const names = Object.keys(types);
  const variables = names.map((name) => `$${name}: ${types[name]}`);
  const values = names.map((name) => `${name}: $${name}`);
  return `mutation ${field}(${variables}) { ${field}(${values}) { ${answer} } }`;
}

export const SIGN_UP = mutation('signUp', { input: 'SignUpInput!' }, SESSION);

export const LOG_IN = mutation('logIn', { input: 'LogInInput!' }, SESSION);

/** All that the page shows first. */
export const FIRST_SCREEN = `query FirstScreen($year: Date!, $from: Date!, $to: Date!) {
  me { ...U calendar(from: $year, to: $to) { date completions points } }
  tasks(first: 100) { nodes { ...T } pageInfo { hasNextPage endCursor } }
  archived: tasks(first: 100, archived: true) { nodes { id title } pageInfo { hasNextPage endCursor } }
  challengeTemplates { id title description durationDays }
} ${USER} ${CHALLENGE} ${TASK}`;

export const MORE_TASKS = `query MoreTasks($after: String!, $archived: Boolean!, $from: Date!, $to: Date!) {
  tasks(first: 100, after: $after, archived: $archived) { nodes { ...T } pageInfo { hasNextPage endCursor } }
} ${TASK}`;

export const COMPLETE = `mutation Complete($input: [CompletionInput!]!, $from: Date!, $to: Date!) {
  completeTasks(input: $input) {
    results { completion { id } task { ...T } error { message reason } }
    user { ...U ${DAYS} }
  }
} ${USER} ${CHALLENGE} ${TASK}`;

export const UNDO = `mutation Undo($id: ID!, $from: Date!, $to: Date!) {
  undoCompletion(id: $id) { task { ...T } user { ...U ${DAYS} } }
} ${USER} ${CHALLENGE} ${TASK}`;

/** What was done of a habit on a day, latest first. */
export const DAY_DONE = `query DayDone($taskId: ID!, $day: Date!) {
  completions(taskId: $taskId, from: $day, to: $day, first: 50) { nodes { id amount note completedAt } }
}`;

export const UPDATE_NOTE = mutation(
  'updateCompletionNote',
  { id: 'ID!', note: 'String' },
  'completion { id }',
);

/** A habit's own view: days of a range, and what became of those of the last half year. */
export const HABIT = `query Habit($id: ID!, $first: Date!, $last: Date!, $from: Date!, $to: Date!) {
  task(id: $id) {
    completionCount
    calendar(from: $first, to: $last) { date state amount completions notes }
    statistics(from: $from, to: $to) {
      dueDays keptDays missedDays neutralDays completions amount rate
      byWeekday { weekday due kept }
      by(period: WEEK) { from due kept }
    }
  }
}`;

/** Days before those. */
export const EARLIER = `query Earlier($id: ID!, $first: Date!, $last: Date!) {
  task(id: $id) { calendar(from: $first, to: $last) { date state amount completions notes } }
}`;

/** All habits by day. */
export const BOARD = `query Board($first: Date!, $last: Date!, $after: String) {
  tasks(first: 50, after: $after) {
    nodes { id calendar(from: $first, to: $last) { date state } }
    pageInfo { hasNextPage endCursor }
  }
}`;

const TASK_AND_DAY = { taskId: 'ID!', date: 'Date!' };

export const SKIP = mutation('skipDay', { ...TASK_AND_DAY, note: 'String' }, 'date');

export const UNSKIP = mutation('unskipDay', TASK_AND_DAY, 'date');

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

export const MOVE = mutation('moveTask', { id: 'ID!', after: 'ID', section: 'String' }, 'task { id }');

export const UPDATE_PROFILE = mutation('updateProfile', { input: 'UpdateProfileInput!' }, 'user { id }');

export const SIGN_OUT = 'mutation SignOut { signOut { signedOutAt } }';

export const SIGN_OUT_EVERYWHERE = `mutation SignOutEverywhere { signOutEverywhere { ${SESSION} } }`;

export const DELETE_ACCOUNT = mutation('deleteMyAccount', { password: 'String' }, 'deletedAt');

const API_TOKEN = 'id name scopes ending expiresAt lastUsedAt';

export const API_TOKENS = `query ApiTokens { apiTokens { ${API_TOKEN} } }`;

export const CREATE_API_TOKEN = mutation('createApiToken', { input: 'CreateApiTokenInput!' }, 'token');

export const REVOKE_API_TOKEN = mutation('revokeApiToken', ONE, 'apiToken { id }');

/** Those that are over. */
export const PAST_CHALLENGES = `query PastChallenges {
  challenges(first: 100) {
    nodes { id status createdAt updatedAt template { title } progress { daysDone daysTotal tracked } }
  }
}`;

export const ACCEPT_CHALLENGE = mutation('acceptChallenge', { templateId: 'ID!' }, 'challenge { id }');

export const COMPLETE_CHALLENGE = mutation('completeChallenge', ONE, 'challenge { id }');

export const ABANDON_CHALLENGE = mutation('abandonChallenge', ONE, 'challenge { id }');

export const UPDATE_NOTES = mutation(
  'updateChallengeNotes',
  { id: 'ID!', notes: 'String!' },
  'challenge { id }',
);

/** Whether the service is there. */
export const REACH = 'query Reach { __typename }';

/** What other windows and devices do. */
export const PROGRESS = `subscription Progress($from: Date!, $to: Date!) {
  progressChanged { cause task { ...T } user { ...U ${DAYS} } }
} ${USER} ${CHALLENGE} ${TASK}`;

export const CHALLENGES = 'subscription Challenges { challengeChanged { id } }';
