import {
  buildSchema,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { expect, it } from 'vitest';
import { declaredSchema } from '../../src/app.js';
import { elementsOf, typesOf } from '../support/schema-elements.js';

type Field = GraphQLField<unknown, unknown> & { at: string };

const fieldsOf = (schema: GraphQLSchema): Field[] =>
  typesOf(schema)
    .filter(isObjectType)
    .flatMap((type) =>
      Object.values(type.getFields()).map((field) => ({ ...field, at: `${type.name}.${field.name}` })),
    );

const mutationsOf = (schema: GraphQLSchema) =>
  fieldsOf(schema).filter(({ at }) => at.startsWith('Mutation.'));

const capitalized = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

const SPELT: Record<string, RegExp> = { type: /^[A-Z][a-zA-Z0-9]*$/, 'enum value': /^[A-Z][A-Z0-9_]*$/ };

/**
 * Lists that are whole as they are: seven templates or weekdays, the days that were asked for, the rows of one page, and
 * what nobody has many of: a day's notes, a task's tags, pauses, links, calendars, sections, the fields of an input.
 */
const BOUNDED =
  /^(Query\.(challengeTemplates|apiTokens)|ApiToken\.scopes|User\.(calendar|calendars|channels|identities|pauses|sections|webhooks)|Webhook\.(kinds|deliveries)|SignInService\.providers|ReminderService\.kinds|Task\.(calendar|checkInLinks|pauses|reminders|tags)|TaskStatistics\.(by|byWeekday)|TaskDay\.notes|TaskToday\.filters|Schedule\.weekdays|Reminder\.weekdays|CompleteTasksPayload\.results|RefusedInput\.fields|ProgressChange\.taskIds|\w+Connection\.(nodes|edges))$/;

/** Null where the schedule goes by something else. */
const EITHER = ['Schedule.weekdays', 'Webhook.kinds'];

/** `first: Int = 50, after: String`, and filters before them. */
function isPaged({ args }: Field): boolean {
  const is = Object.fromEntries(
    args.map(({ name, type, defaultValue }) => [name, `${type} ${defaultValue}`]),
  );
  return is.first === 'Int 50' && is.after === 'String undefined';
}

/** Every rule answers what breaks it. */
const rules = {
  'describes every type, field, argument, input field and enum value': (schema) =>
    elementsOf(schema)
      .filter(({ description }) => !description?.trim())
      .map(({ at }) => at),

  'says of every part of a change what null does to it': (schema) =>
    elementsOf(schema)
      .filter(
        ({ at, is, description }) =>
          /^Update\w+Input\./.test(at) && !is.endsWith('!') && !/\bnull\b/i.test(description ?? ''),
      )
      .map(({ at }) => at),

  'gives every id the type ID, and that of a row is never null': (schema) =>
    elementsOf(schema)
      .filter(
        ({ at, is }) =>
          /(\bid|[a-z]Id)(:\))?$/.test(at) && !(at.endsWith('.id') ? /^ID!$/ : /^ID!?$/).test(is),
      )
      .map(({ at }) => at),

  'answers every mutation with a payload of its own, save sign-up and log-in with a session': (schema) =>
    mutationsOf(schema)
      .filter(({ name, type }) => {
        const expected = /^(signUp|logIn|exchangeLogIn|signOutEverywhere)$/.test(name)
          ? 'Session'
          : `${capitalized(name)}Payload`;
        return getNamedType(type).name !== expected;
      })
      .map(({ at }) => at),

  'lets no refused mutation hide what the others of its request did': (schema) =>
    mutationsOf(schema)
      .filter(({ type }) => isNonNullType(type))
      .map(({ at }) => at),

  'lets every list that grows be a connection': (schema) =>
    fieldsOf(schema)
      .filter(({ at, type }) => /\[/.test(String(type)) && !BOUNDED.test(at))
      .map(({ at }) => at),

  'pages every connection by first and after, and says its size': (schema) => {
    const connections = fieldsOf(schema).filter(({ type }) => getNamedType(type).name.endsWith('Connection'));
    return connections
      .filter((field) => {
        const type = getNamedType(field.type);
        const node = type.name.replace(/Connection$/, '');
        const parts = isObjectType(type) ? Object.values(type.getFields()) : [];
        const is = Object.fromEntries(parts.map((part) => [part.name, String(part.type)]));
        const isWhole =
          is.nodes === `[${node}!]!` &&
          is.edges === `[${node}Edge!]!` &&
          is.pageInfo === 'PageInfo!' &&
          is.totalCount === 'Int!';
        return !isWhole || !isPaged(field) || String(field.type) !== `${type.name}!`;
      })
      .map(({ at }) => at);
  },

  'never has null in a list, nor answers it instead of one': (schema) =>
    elementsOf(schema)
      .filter(({ at, kind, is }) => {
        const mayBeNull = kind === 'input field' || EITHER.includes(at);
        return is.includes('[') && !(mayBeNull ? /\[\w+!\]/ : /\[\w+!\]!/).test(is);
      })
      .map(({ at }) => at),

  'names types in PascalCase, enum values in UPPER_CASE, and all else in camelCase': (schema) =>
    elementsOf(schema)
      .filter(({ kind, name }) => !(SPELT[kind] ?? /^[a-z][a-zA-Z0-9]*$/).test(name))
      .map(({ at }) => at),

  'ends the names of inputs, and of nothing else, in Input': (schema) =>
    typesOf(schema)
      .filter((type) => isInputObjectType(type) !== type.name.endsWith('Input'))
      .filter(({ name }) => name !== 'RefusedInput') // what became of an input
      .map(({ name }) => name),
} satisfies Record<string, (schema: GraphQLSchema) => string[]>;

const declared = declaredSchema();

it.each(Object.entries(rules))('The GraphQL schema %s', (_rule, faultsOf) => {
  expect(faultsOf(declared)).toEqual([]);
});

/** A schema that follows none, so that no rule is empty talk. */
const lawless = buildSchema(`
  type Query { task_list: [task] tasks(first: Int = 10, after: String): TaskConnection! done: DoPayload }
  type Mutation { do(id: ID, a: Int, b: Int): Int! }
  type DoPayload { ok: Boolean }
  type task { id: Int, ownerId: String, old: Int @deprecated(reason: "No good.") }
  type TaskConnection { nodes: [task] }
  enum Kind { good Bad }
  input Filter { Kind: Kind }
  input UpdateTaskInput { title: String }
`);

it('The rules of the schema find what breaks them', () => {
  for (const [rule, faultsOf] of Object.entries(rules)) expect(faultsOf(lawless), rule).not.toEqual([]);
});

it('The schema reads properties without a resolver, which TypeGraphQL makes unless `simpleResolvers` is set', () => {
  const resolved = fieldsOf(declared).filter(({ resolve }) => resolve);
  expect(resolved.length).toBeGreaterThan(0);
  const needless = resolved.filter(({ resolve }) => String(resolve).includes('root[fieldMetadata.name]'));
  expect(needless.map(({ at }) => at)).toEqual([]);
});
