import { type GraphQLField, type GraphQLSchema, getNamedType, isNonNullType, isObjectType } from 'graphql';
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

  'knows instants by the name DateTime alone, and shows nothing secret or internal of a user': (schema) =>
    elementsOf(schema)
      .filter(({ at, is }) =>
        at.startsWith('User.')
          ? /password|hash|lastActive|runStarted|longestRun/i.test(at)
          : /^[A-Z]\w+\.\w+(At|Date)$/.test(at) && !/^DateTime!?$/.test(is),
      )
      .filter(({ at }) => !at.endsWith('.dayStartsAt')) // an hour
      .map(({ at }) => at),
} satisfies Record<string, (schema: GraphQLSchema) => string[]>;

it.each(Object.entries(rules))('The GraphQL schema %s', (_rule, faultsOf) => {
  expect(faultsOf(declaredSchema())).toEqual([]);
});
