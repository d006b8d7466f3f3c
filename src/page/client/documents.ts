// Every operation of this page. A test holds them against the schema.

const USER = `fragment U on User {
  id name email points timeZone dayStartsAt today
  streak { days longest doneToday atRisk }
  activeChallenge { ...C }
}`;

const CHALLENGE = `fragment C on Challenge {
  id notes
  template { id title description durationDays }
  progress { tracked daysTotal daysElapsed daysDone isDue }
}`;

const TASK = `fragment T on Task {
  id title description points isDailyRoutine
  challengeTemplate { id }
  today { completions lastCompletionId }
  streak { days longest doneToday atRisk }
}`;

const DAYS = 'calendar(from: $from, to: $to) { date completions points }';

const ONE = { id: 'ID!' };

const SESSION = 'token user { id email }';

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
export const FIRST_SCREEN = `query FirstScreen($from: Date!, $to: Date!) {
  me { ...U ${DAYS} }
  tasks(first: 100) { nodes { ...T } pageInfo { hasNextPage endCursor } }
  archived: tasks(first: 100, archived: true) { nodes { id title } pageInfo { hasNextPage endCursor } }
  challengeTemplates { id title description durationDays }
} ${USER} ${CHALLENGE} ${TASK}`;

export const MORE_TASKS = `query MoreTasks($after: String!, $archived: Boolean!) {
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

export const CREATE_TASK = mutation(
  'createTask',
  { input: 'CreateTaskInput!', idempotencyKey: 'String' },
  'replayed task { id title description points isDailyRoutine }',
);

export const UPDATE_TASK = mutation('updateTask', { id: 'ID!', input: 'UpdateTaskInput!' }, 'task { id }');

export const ARCHIVE = mutation('archiveTask', ONE, 'task { id }');

export const RESTORE = mutation('unarchiveTask', ONE, 'task { id }');

export const MOVE = mutation('moveTask', { id: 'ID!', after: 'ID' }, 'task { id }');

export const UPDATE_PROFILE = mutation('updateProfile', { input: 'UpdateProfileInput!' }, 'user { id }');

export const SIGN_OUT = 'mutation SignOut { signOut { signedOutAt } }';

export const SIGN_OUT_EVERYWHERE = `mutation SignOutEverywhere { signOutEverywhere { ${SESSION} } }`;

export const DELETE_ACCOUNT = mutation('deleteMyAccount', { password: 'String!' }, 'deletedAt');

const API_TOKEN = 'id name scopes ending expiresAt lastUsedAt';

export const API_TOKENS = `query ApiTokens { apiTokens { ${API_TOKEN} } }`;

export const CREATE_API_TOKEN = mutation('createApiToken', { input: 'CreateApiTokenInput!' }, 'token');

export const REVOKE_API_TOKEN = mutation('revokeApiToken', ONE, 'apiToken { id }');

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
  progressChanged { cause completion { id } task { ...T } user { ...U ${DAYS} } }
} ${USER} ${CHALLENGE} ${TASK}`;

export const CHALLENGES = 'subscription Challenges { challengeChanged { id } }';
