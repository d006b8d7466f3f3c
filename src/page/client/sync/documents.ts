// The operations of the list. A test holds them against the schema.

const PAUSES = 'pauses { id from until }';

const USER = `fragment U on User {
  id name email points timeZone dayStartsAt today weekStartsOn language sections
  streak { unit count longest }
  ${PAUSES}
  activeChallenge { ...C }
}`;

const CHALLENGE = `fragment C on Challenge {
  id notes
  template { id title description durationDays }
  progress { isTracked daysTotal daysElapsed daysDone isOver }
}`;

/** Its days are those in which a completion may change something. */
const TASK = `fragment T on Task {
  id title description points colour icon tags section
  challengeTemplate { id }
  schedule { weekdays everyDays timesPer { count period } }
  hasGraceDay target { amount unit kind per } step
  ${PAUSES}
  today { lastCompletion { id } periodAmount }
  thisPeriod { goal done }
  streak { unit count longest atRisk }
  days: calendar(last: 8) { date state isSkipped isDue amount completionCount }
}`;

/** All that the page shows first. */
export const FIRST_SCREEN = `query FirstScreen {
  me { ...U }
  tasks(first: 100) { nodes { ...T } pageInfo { hasNextPage endCursor } }
  archived: tasks(first: 100, archived: ARCHIVED) { nodes { id title archivedAt } pageInfo { hasNextPage endCursor } }
  reminderService { kinds }
} ${USER} ${CHALLENGE} ${TASK}`;

export const MORE_TASKS = `query MoreTasks($after: String!) {
  tasks(first: 100, after: $after) { nodes { ...T } pageInfo { hasNextPage endCursor } }
} ${TASK}`;

export const MORE_ARCHIVED = `query MoreArchived($after: String!) {
  tasks(first: 100, after: $after, archived: ARCHIVED) { nodes { id title archivedAt } pageInfo { hasNextPage endCursor } }
}`;

export const COMPLETE = `mutation Complete($input: [CompletionInput!]!) {
  completeTasks(input: $input) {
    results { completion { id } isReplayed isDoneAlready task { ...T } error { message reason } }
    user { ...U }
  }
} ${USER} ${CHALLENGE} ${TASK}`;

export const UNDO = `mutation Undo($id: ID!) {
  undoCompletion(id: $id) { task { ...T } user { ...U } }
} ${USER} ${CHALLENGE} ${TASK}`;

/** Whether the service is there. */
export const REACH = 'query Reach { __typename }';

/** What other windows and devices do. */
export const PROGRESS = `subscription Progress {
  progressChanged { kind completionId task { ...T } user { ...U } }
} ${USER} ${CHALLENGE} ${TASK}`;

export const CHALLENGES = 'subscription Challenges { challengeChanged { id } }';
