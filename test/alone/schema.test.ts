import { readFileSync } from 'node:fs';
import {
  buildSchema,
  findBreakingChanges,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  lexicographicSortSchema,
  printSchema,
  validateSchema,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { declaredSchema } from '../../src/app.js';

/** The part of the contract (design, section 2) that is there already. Additions are welcome, changes are not. */
const contract = buildSchema(`
  scalar DateTime @specifiedBy(url: "https://scalars.graphql.org/andimarek/date-time.html")

  enum ChallengeStatus { ACTIVE COMPLETED ABANDONED }

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
    activeChallenge: Challenge
  }

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
  }

  type PageInfo { hasNextPage: Boolean!  hasPreviousPage: Boolean!  startCursor: String  endCursor: String }
  type TaskEdge { cursor: String!  node: Task! }
  type TaskConnection { nodes: [Task!]!  edges: [TaskEdge!]!  pageInfo: PageInfo!  totalCount: Int! }
  type ChallengeEdge { cursor: String!  node: Challenge! }
  type ChallengeConnection { nodes: [Challenge!]!  edges: [ChallengeEdge!]!  pageInfo: PageInfo!  totalCount: Int! }

  type Session { token: String!  expiresAt: DateTime!  user: User! }
  type UpdateProfilePayload { user: User! }
  type CreateTaskPayload { task: Task! }
  type UpdateTaskPayload { task: Task! }
  type CompleteTaskPayload { completion: Completion!  task: Task!  user: User!  replayed: Boolean! }
  type AcceptChallengePayload { challenge: Challenge!  user: User! }
  type UpdateChallengeNotesPayload { challenge: Challenge! }
  type CompleteChallengePayload { challenge: Challenge!  user: User! }
  type AbandonChallengePayload { challenge: Challenge!  user: User! }

  input SignUpInput { name: String!  email: String!  password: String! }
  input LogInInput { email: String!  password: String! }
  input UpdateProfileInput { name: String  profilePicture: String  email: String  newPassword: String }
  input CreateTaskInput {
    title: String!
    points: Float = 10
    description: String
    isDailyRoutine: Boolean = false
    challengeTemplateId: ID
  }
  input UpdateTaskInput { title: String  description: String  points: Float  isDailyRoutine: Boolean }

  type Query {
    me: User!
    tasks(first: Int = 50, after: String): TaskConnection!
    task(id: ID!): Task
    challengeTemplates: [ChallengeTemplate!]!
    challengeTemplate(id: ID!): ChallengeTemplate
    challenges(status: ChallengeStatus, first: Int = 50, after: String): ChallengeConnection!
    activeChallenge: Challenge
  }

  type Mutation {
    signUp(input: SignUpInput!): Session!
    logIn(input: LogInInput!): Session!
    updateProfile(input: UpdateProfileInput!): UpdateProfilePayload!
    createTask(input: CreateTaskInput!): CreateTaskPayload!
    updateTask(id: ID!, input: UpdateTaskInput!): UpdateTaskPayload!
    completeTask(taskId: ID!, idempotencyKey: String): CompleteTaskPayload!
    acceptChallenge(templateId: ID!): AcceptChallengePayload!
    updateChallengeNotes(id: ID!, notes: String!): UpdateChallengeNotesPayload!
    completeChallenge(id: ID!): CompleteChallengePayload!
    abandonChallenge(id: ID!): AbandonChallengePayload!
  }
`);

/** Something a schema declares: `Query.tasks(first:)` is `Int = 50`. */
interface Element {
  at: string;
  is: string;
  description: string | null | undefined;
}

const elementsOf = (schema: GraphQLSchema): Element[] =>
  Object.values(schema.getTypeMap())
    .filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type))
    .flatMap((type) => [
      { at: type.name, is: kindOf(type), description: type.description },
      ...partsOf(type).map((part) => ({ ...part, at: `${type.name}.${part.at}` })),
    ]);

const kindOf = (type: GraphQLNamedType) =>
  isScalarType(type) ? `scalar ${type.specifiedByURL}` : type.constructor.name;

function partsOf(type: GraphQLNamedType): Element[] {
  if (isEnumType(type)) {
    return type.getValues().map(({ name, description }) => ({ at: name, is: 'a value', description }));
  }
  if (isInputObjectType(type)) return Object.values(type.getFields()).map(inputOf);
  if (!isObjectType(type)) return [];
  return Object.values(type.getFields()).flatMap(({ name, type: ofField, args, description }) => [
    { at: name, is: String(ofField), description },
    ...args.map(inputOf).map((argument) => ({ ...argument, at: `${name}(${argument.at}:)` })),
  ]);
}

const inputOf = ({
  name,
  type,
  defaultValue,
  description,
}: GraphQLArgument | GraphQLInputField): Element => ({
  at: name,
  is: defaultValue === undefined ? String(type) : `${type} = ${JSON.stringify(defaultValue)}`,
  description,
});

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

  it('describes every type, field, argument, input field and enum value', () => {
    const silent = elementsOf(declared).filter(({ description }) => !description?.trim());
    expect(silent.map(({ at }) => at)).toEqual([]);
  });

  it('gives every id the type ID', () => {
    const ids = elementsOf(declared).filter(({ at }) => /(\bid|[a-z]Id)(:\))?$/.test(at));
    expect(ids.length).toBeGreaterThan(10);
    expect(ids.filter(({ is }) => !/^ID!?$/.test(is))).toEqual([]);
  });

  it('has a payload type of its own for every mutation but the two that answer a session', () => {
    const mutations = Object.values(declared.getMutationType()?.getFields() ?? {});
    for (const { name, type } of mutations.filter(({ name }) => !/^(signUp|logIn)$/.test(name))) {
      expect(String(type)).toBe(`${name.charAt(0).toUpperCase()}${name.slice(1)}Payload!`);
    }
  });

  it('gives nothing of a user away that is secret or of the storage', () => {
    const user = Object.keys(table(declared)).filter((at) => at.startsWith('User.'));
    expect(user.filter((at) => /password|hash|lastActive|runStarted|longestRun/i.test(at))).toEqual([]);
  });

  it('knows instants by the name DateTime alone', () => {
    expect(declared.getType('DateTimeISO')).toBeUndefined();
    const instants = elementsOf(declared).filter(({ at }) => /At$|Date$/.test(at) && /^[A-Z]\w+\./.test(at));
    expect(instants.filter(({ is }) => !/^DateTime!?$/.test(is))).toEqual([]);
  });

  it('is the one in schema.graphql', () => {
    const file = readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8');
    expect(file).toBe(`${printSchema(lexicographicSortSchema(declared))}\n`);
  });
});
