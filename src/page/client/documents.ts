// The operations of the list. A test holds them against the schema.

const STREAK = 'streak { unit count longest }';

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
  progress { tracked daysTotal daysElapsed daysDone isOver }
}`;

/** Its days are those in which a completion may change something. */
const TASK = `fragment T on Task {
  id title description points colour icon tags section
  challengeTemplate { id }
  schedule { weekdays every times per }
  target { amount unit kind per }
  ${PAUSES}
  today { lastCompletionId periodAmount }
  ${STREAK}
  days: calendar(last: 8) { date state isSkipped amount completions }
}`;

const DAYS = 'calendar(last: 8) { date completions points }';

/** All that the page shows first, with the year. */
export const FIRST_SCREEN = `query FirstScreen {
  me { ...U calendar(last: 365) { date completions points } }
  tasks(first: 100) { nodes { ...T } pageInfo { hasNextPage endCursor } }
  archived: tasks(first: 100, archived: true) { nodes { id title } pageInfo { hasNextPage endCursor } }
  reminderService { pushKey ntfy apprise }
} ${USER} ${CHALLENGE} ${TASK}`;

export const MORE_TASKS = `query MoreTasks($after: String!) {
  tasks(first: 100, after: $after) { nodes { ...T } pageInfo { hasNextPage endCursor } }
} ${TASK}`;

export const MORE_ARCHIVED = `query MoreArchived($after: String!) {
  tasks(first: 100, after: $after, archived: true) { nodes { id title } pageInfo { hasNextPage endCursor } }
}`;

export const COMPLETE = `mutation Complete($input: [CompletionInput!]!) {
  completeTasks(input: $input) {
    results { completion { id } task { ...T } error { message reason } }
    user { ...U ${DAYS} }
  }
} ${USER} ${CHALLENGE} ${TASK}`;

export const UNDO = `mutation Undo($id: ID!) {
  undoCompletion(id: $id) { task { ...T } user { ...U ${DAYS} } }
} ${USER} ${CHALLENGE} ${TASK}`;

/** What was done of a habit on a day, latest first. */
export const DAY_DONE = `query DayDone($taskId: ID!, $day: Date!) {
  completions(taskId: $taskId, from: $day, to: $day, first: 50) { nodes { id amount note completedAt } }
}`;

/** Whether the service is there. */
export const REACH = 'query Reach { __typename }';

/** What other windows and devices do. */
export const PROGRESS = `subscription Progress {
  progressChanged { cause task { ...T } user { ...U ${DAYS} } }
} ${USER} ${CHALLENGE} ${TASK}`;

export const CHALLENGES = 'subscription Challenges { challengeChanged { id } }';
