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

export const SIGN_UP =
  'mutation SignUp($input: SignUpInput!) { signUp(input: $input) { token expiresAt user { id name email } } }';

export const LOG_IN =
  'mutation LogIn($input: LogInInput!) { logIn(input: $input) { token expiresAt user { id name email } } }';

/** All that the page shows first. */
export const FIRST_SCREEN = `query FirstScreen($from: Date!, $to: Date!) {
  me { ...U ${DAYS} }
  tasks(first: 100) { nodes { ...T } pageInfo { hasNextPage endCursor } }
  putAway: tasks(first: 100, archived: true) { nodes { id title } pageInfo { hasNextPage endCursor } }
  challengeTemplates { id title description durationDays }
} ${USER} ${CHALLENGE} ${TASK}`;

export const MORE_TASKS = `query MoreTasks($after: String!) {
  tasks(first: 100, after: $after) { nodes { ...T } pageInfo { hasNextPage endCursor } }
} ${TASK}`;

export const MORE_PUT_AWAY = `query MorePutAway($after: String!) {
  tasks(first: 100, after: $after, archived: true) { nodes { id title } pageInfo { hasNextPage endCursor } }
}`;

export const COMPLETE = `mutation Complete($input: [CompletionInput!]!, $from: Date!, $to: Date!) {
  completeTasks(input: $input) {
    results { completion { id } task { ...T } error { message reason } }
    user { ...U ${DAYS} }
  }
} ${USER} ${CHALLENGE} ${TASK}`;

export const UNDO = `mutation Undo($id: ID!, $from: Date!, $to: Date!) {
  undoCompletion(id: $id) { task { ...T } user { ...U ${DAYS} } }
} ${USER} ${CHALLENGE} ${TASK}`;

export const CREATE_TASK = `mutation CreateTask($input: CreateTaskInput!) {
  createTask(input: $input) { task { ...T } }
} ${TASK}`;

export const UPDATE_TASK = `mutation UpdateTask($id: ID!, $input: UpdateTaskInput!) {
  updateTask(id: $id, input: $input) { task { ...T } }
} ${TASK}`;

export const PUT_AWAY = 'mutation PutAway($id: ID!) { archiveTask(id: $id) { task { id } } }';

export const BRING_BACK = 'mutation BringBack($id: ID!) { unarchiveTask(id: $id) { task { id } } }';

export const MOVE =
  'mutation Move($id: ID!, $after: ID) { moveTask(id: $id, after: $after) { task { id } } }';

export const UPDATE_PROFILE =
  'mutation UpdateProfile($input: UpdateProfileInput!) { updateProfile(input: $input) { user { id name email } } }';

export const SIGN_OUT = 'mutation SignOut { signOut { signedOutAt } }';

export const SIGN_OUT_EVERYWHERE =
  'mutation SignOutEverywhere { signOutEverywhere { token expiresAt user { id name email } } }';

export const ACCEPT_CHALLENGE =
  'mutation Accept($templateId: ID!) { acceptChallenge(templateId: $templateId) { challenge { id } } }';

export const COMPLETE_CHALLENGE =
  'mutation CompleteChallenge($id: ID!) { completeChallenge(id: $id) { challenge { id } } }';

export const ABANDON_CHALLENGE =
  'mutation AbandonChallenge($id: ID!) { abandonChallenge(id: $id) { challenge { id } } }';

export const UPDATE_NOTES =
  'mutation UpdateNotes($id: ID!, $notes: String!) { updateChallengeNotes(id: $id, notes: $notes) { challenge { id } } }';

/** Whether the service is there. */
export const REACH = 'query Reach { __typename }';

/** What other windows and devices do. */
export const PROGRESS = `subscription Progress($from: Date!, $to: Date!) {
  progressChanged { completion { id } task { ...T } user { ...U ${DAYS} } }
} ${USER} ${CHALLENGE} ${TASK}`;

export const CHALLENGES = 'subscription Challenges { challengeChanged { id } }';
