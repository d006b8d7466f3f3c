import { readFileSync } from 'node:fs';
import {
  buildSchema,
  extendSchema,
  findBreakingChanges,
  type GraphQLSchema,
  lexicographicSortSchema,
  parse,
  printSchema,
  validateSchema,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { declaredSchema } from '../../src/app.js';
import { elementsOf } from '../support/schema-elements.js';

const schemaIn = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

/** What the last release promised, which `npm run check` compares too, and what clients were promised since. */
const contract = extendSchema(
  buildSchema(schemaIn('docs/schema/released.graphql')),
  parse(`
    scalar TimeZone
    type DeleteMyAccountPayload { userId: ID!  deletedAt: DateTime! }
    type CompleteTasksPayload { results: [CompleteTaskResult!]!  user: User! }
    type CompleteTaskResult { completion: Completion  task: Task  replayed: Boolean!  error: RefusedInput }
    type RefusedInput { message: String!  reason: String! }
    type ArchiveTaskPayload { task: Task! }
    type UnarchiveTaskPayload { task: Task! }
    type DeleteTaskPayload { taskId: ID!  user: User! }
    type MoveTaskPayload { task: Task! }
    type TaskToday { date: Date!  completions: Int!  lastCompletionId: ID }
    input CompletionInput { taskId: ID!  idempotencyKey: String!  at: DateTime }
    extend type User { timeZone: TimeZone!  dayStartsAt: Int!  today: Date! }
    extend type Completion { day: Date!  recordedAt: DateTime! }
    extend type Task {
      today: TaskToday!
      streak: Streak!
      calendar(from: Date!, to: Date!): [CalendarDay!]!
      archivedAt: DateTime
    }
    extend type CompleteTaskPayload { day: CalendarDay! }
    extend type UndoCompletionPayload { day: CalendarDay! }
    extend input UpdateProfileInput { timeZone: TimeZone  dayStartsAt: Int }
    extend input UpdateTaskInput { challengeTemplateId: ID }
    extend type Mutation {
      deleteMyAccount(password: String!): DeleteMyAccountPayload!
      archiveTask(id: ID!): ArchiveTaskPayload!
      unarchiveTask(id: ID!): UnarchiveTaskPayload!
      deleteTask(id: ID!): DeleteTaskPayload!
      moveTask(id: ID!, after: ID): MoveTaskPayload!
      completeTasks(input: [CompletionInput!]!): CompleteTasksPayload!
    }
  `),
);

const declared = declaredSchema();
const table = (schema: GraphQLSchema) => Object.fromEntries(elementsOf(schema).map(({ at, is }) => [at, is]));

describe('The GraphQL schema', () => {
  it('is valid', () => {
    expect(validateSchema(declared)).toEqual([]);
  });

  it('breaks no client of the contract', () => {
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
    expect(schemaIn('schema.graphql')).toBe(`${printSchema(lexicographicSortSchema(declared))}\n`);
  });
});
