import { readFileSync } from 'node:fs';
import {
  buildSchema,
  findBreakingChanges,
  type GraphQLSchema,
  lexicographicSortSchema,
  printSchema,
  validateSchema,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { declaredSchema } from '../../src/app.js';
import { elementsOf } from '../support/schema-elements.js';

/** What clients were promised. Additions are welcome, changes are not. */
const contract = buildSchema(`
  scalar DateTime @specifiedBy(url: "https://scalars.graphql.org/andimarek/date-time.html")
  scalar Date @specifiedBy(url: "https://scalars.graphql.org/andimarek/local-date.html")

  enum ChallengeStatus { ACTIVE COMPLETED ABANDONED }
  enum StreakEffect { NONE STARTED CONTINUED BROKEN }
  enum ProgressCause { COMPLETED UNDONE CORRECTED }

  type User {
    id: ID!
    name: String!
    email: String!
    profilePicture: String
    points: Float!
    currentStreak: Int!
    maxStreak: Int!
    createdAt: DateTime!
    updatedAt: DateTime!
    streak: Streak!
    calendar(from: Date!, to: Date!): [CalendarDay!]!
    activeChallenge: Challenge
  }

  type Streak {
    days: Int!
    longest: Int!
    doneToday: Boolean!
    atRisk: Boolean!
    aliveUntil: DateTime
  }

  type CalendarDay { date: Date!  completions: Int!  points: Float!  firstCompletedAt: DateTime  streak: StreakEffect! }

  type Task {
    id: ID!
    title: String!
    description: String
    points: Float!
    isDailyRoutine: Boolean!
    challengeTemplate: ChallengeTemplate
    createdAt: DateTime!
    updatedAt: DateTime!
    completionCount: Int!
    lastCompletedAt: DateTime
    completions(first: Int = 50, after: String): CompletionConnection!
  }

  type Completion { id: ID!  task: Task!  points: Float!  completedAt: DateTime! }

  type ChallengeTemplate {
    id: ID!
    title: String!
    description: String!
    durationDays: Int!
    createdAt: DateTime!
    updatedAt: DateTime!
  }

  type Challenge {
    id: ID!
    template: ChallengeTemplate!
    status: ChallengeStatus!
    startDate: DateTime!
    completedAt: DateTime
    notes: String
    createdAt: DateTime!
    updatedAt: DateTime!
    tasks(first: Int = 50, after: String): TaskConnection!
    progress: ChallengeProgress!
  }

  type ChallengeProgress {
    tracked: Boolean!
    daysTotal: Int!
    daysElapsed: Int!
    daysDone: Int!
    isDue: Boolean!
  }

  type PageInfo { hasNextPage: Boolean!  hasPreviousPage: Boolean!  startCursor: String  endCursor: String }
  type TaskEdge { cursor: String!  node: Task! }
  type TaskConnection { nodes: [Task!]!  edges: [TaskEdge!]!  pageInfo: PageInfo!  totalCount: Int! }
  type CompletionEdge { cursor: String!  node: Completion! }
  type CompletionConnection { nodes: [Completion!]!  edges: [CompletionEdge!]!  pageInfo: PageInfo!  totalCount: Int! }
  type ChallengeEdge { cursor: String!  node: Challenge! }
  type ChallengeConnection { nodes: [Challenge!]!  edges: [ChallengeEdge!]!  pageInfo: PageInfo!  totalCount: Int! }

  type Session { token: String!  expiresAt: DateTime!  user: User! }
  type UpdateProfilePayload { user: User! }
  type DeleteMyAccountPayload { userId: ID!  deletedAt: DateTime! }
  type CreateTaskPayload { task: Task! }
  type UpdateTaskPayload { task: Task! }
  type CompleteTaskPayload {
    completion: Completion!
    task: Task!
    user: User!
    replayed: Boolean!
    day: CalendarDay!
  }
  type UndoCompletionPayload { completionId: ID!  task: Task!  user: User!  day: CalendarDay! }
  type CompleteTasksPayload { results: [CompleteTaskResult!]!  user: User! }
  type CompleteTaskResult { completion: Completion  task: Task  replayed: Boolean!  error: RefusedInput }
  type RefusedInput { message: String!  reason: String! }
  type ArchiveTaskPayload { task: Task! }
  type UnarchiveTaskPayload { task: Task! }
  type DeleteTaskPayload { taskId: ID!  user: User! }
  type MoveTaskPayload { task: Task! }
  type TaskToday { date: Date!  completions: Int!  lastCompletionId: ID }

  scalar TimeZone
  extend type User { timeZone: TimeZone!  dayStartsAt: Int!  today: Date! }
  extend type Completion { day: Date!  recordedAt: DateTime! }
  extend type Task {
    today: TaskToday!
    streak: Streak!
    calendar(from: Date!, to: Date!): [CalendarDay!]!
    archivedAt: DateTime
  }
  input CompletionInput { taskId: ID!  idempotencyKey: String!  at: DateTime }
  type AcceptChallengePayload { challenge: Challenge!  user: User! }
  type UpdateChallengeNotesPayload { challenge: Challenge! }
  type CompleteChallengePayload { challenge: Challenge!  user: User! }
  type AbandonChallengePayload { challenge: Challenge!  user: User! }

  type ProgressChange { cause: ProgressCause!  user: User!  task: Task  completion: Completion }

  input SignUpInput { name: String!  email: String!  password: String! }
  input LogInInput { email: String!  password: String! }
  input UpdateProfileInput {
    name: String
    profilePicture: String
    email: String
    newPassword: String
    timeZone: TimeZone
    dayStartsAt: Int
  }
  input CreateTaskInput {
    title: String!
    points: Float = 10
    description: String
    isDailyRoutine: Boolean = false
    challengeTemplateId: ID
  }
  input UpdateTaskInput { title: String  description: String  points: Float  isDailyRoutine: Boolean  challengeTemplateId: ID }

  type Query {
    me: User!
    tasks(first: Int = 50, after: String, archived: Boolean = false): TaskConnection!
    task(id: ID!): Task
    completions(first: Int = 50, after: String, from: Date, to: Date, taskId: ID): CompletionConnection!
    completion(id: ID!): Completion
    challengeTemplates: [ChallengeTemplate!]!
    challengeTemplate(id: ID!): ChallengeTemplate
    challenges(status: ChallengeStatus, first: Int = 50, after: String): ChallengeConnection!
    challenge(id: ID!): Challenge
    activeChallenge: Challenge
  }

  type Mutation {
    signUp(input: SignUpInput!): Session!
    logIn(input: LogInInput!): Session!
    updateProfile(input: UpdateProfileInput!): UpdateProfilePayload!
    deleteMyAccount(password: String!): DeleteMyAccountPayload!
    createTask(input: CreateTaskInput!): CreateTaskPayload!
    updateTask(id: ID!, input: UpdateTaskInput!): UpdateTaskPayload!
    archiveTask(id: ID!): ArchiveTaskPayload!
    unarchiveTask(id: ID!): UnarchiveTaskPayload!
    deleteTask(id: ID!): DeleteTaskPayload!
    moveTask(id: ID!, after: ID): MoveTaskPayload!
    completeTask(taskId: ID!, idempotencyKey: String, at: DateTime): CompleteTaskPayload!
    completeTasks(input: [CompletionInput!]!): CompleteTasksPayload!
    undoCompletion(id: ID!): UndoCompletionPayload!
    acceptChallenge(templateId: ID!): AcceptChallengePayload!
    updateChallengeNotes(id: ID!, notes: String!): UpdateChallengeNotesPayload!
    completeChallenge(id: ID!): CompleteChallengePayload!
    abandonChallenge(id: ID!): AbandonChallengePayload!
  }

  type Subscription {
    progressChanged: ProgressChange!
    challengeChanged: Challenge!
  }
`);

const declared = declaredSchema();
const table = (schema: GraphQLSchema) => Object.fromEntries(elementsOf(schema).map(({ at, is }) => [at, is]));

describe('The GraphQL schema', () => {
  it('is valid', () => {
    expect(validateSchema(declared)).toEqual([]);
  });

  it('contains the contract, type by type, field by field, default by default', () => {
    expect(table(declared)).toMatchObject(table(contract));
  });

  it('breaks no client of the contract by what it adds', () => {
    expect(findBreakingChanges(contract, declared)).toEqual([]);
  });

  it('shows nothing of a user that is secret or internal to the storage', () => {
    const user = Object.keys(table(declared)).filter((at) => at.startsWith('User.'));
    expect(user.filter((at) => /password|hash|lastActive|runStarted|longestRun/i.test(at))).toEqual([]);
  });

  it('knows instants by the name DateTime alone', () => {
    expect(declared.getType('DateTimeISO')).toBeUndefined();
    const instants = elementsOf(declared).filter(({ at }) => /At$|Date$/.test(at) && /^[A-Z]\w+\./.test(at));
    const hours = /\.dayStartsAt$/;
    expect(instants.filter(({ at, is }) => !/^DateTime!?$/.test(is) && !hours.test(at))).toEqual([]);
  });

  it('is the one in schema.graphql', () => {
    const file = readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8');
    expect(file).toBe(`${printSchema(lexicographicSortSchema(declared))}\n`);
  });
});
