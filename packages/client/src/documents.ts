// What the package asks by itself. A test holds them against the schema.

export const WHO = 'query Who { me { id } }';

const SESSION = '{ token expiresAt user { id name } }';

export const LOG_IN = `mutation LogIn($input: LogInInput!) { logIn(input: $input) ${SESSION} }`;

export const SIGN_UP = `mutation SignUp($input: SignUpInput!) { signUp(input: $input) ${SESSION} }`;

export const SIGN_OUT = 'mutation SignOut { signOut { signedOutAt } }';

export const SEND = `mutation Send($input: [CompletionInput!]!) {
  completeTasks(input: $input) {
    results { completion { id } isReplayed isDoneAlready error { reason message fields { name message } } }
  }
}`;

export const UNDO = 'mutation Undo($id: ID!) { undoCompletion(id: $id) { completionId } }';

const TASK = `fragment Habit on Task {
  id title section colour icon tags
  target { amount unit kind per } step
  today { state isDue isOpen completionCount amount periodAmount }
  streak { unit count longest doneToday }
}`;

const PAGE_OF_TASKS = `($after: String, $section: String, $tag: String, $today: TodayFilter, $archived: ArchiveFilter! = IN_USE) {
  tasks(first: 100, after: $after, section: $section, tag: $tag, today: $today, archived: $archived) {
    nodes { ...Habit } pageInfo { hasNextPage endCursor }
  }`;

export const TASKS = `query Tasks${PAGE_OF_TASKS} } ${TASK}`;

export const TODAY = `query Today${PAGE_OF_TASKS}
  me { today todayEndsAt timeZone dayStartsAt }
} ${TASK}`;

export const COMPLETIONS = `query Completions($after: String, $taskId: ID, $from: Date, $to: Date) {
  completions(first: 100, after: $after, taskId: $taskId, from: $from, to: $to) {
    nodes { id completedAt day amount note points task { id title } } pageInfo { hasNextPage endCursor }
  }
}`;

const EVENT = '{ id number kind at taskId completionId challengeId pauseId day }';

export const EVENTS = `query Events($after: String) {
  events(first: 100, after: $after) { nodes ${EVENT} pageInfo { hasNextPage endCursor } }
}`;

export const LAST_EVENT = 'query LastEvent { me { lastEventNumber } }';

export const WATCH = `subscription Watch($after: String) { events(after: $after) ${EVENT} }`;
