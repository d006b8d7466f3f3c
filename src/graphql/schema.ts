import 'reflect-metadata';
import {
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLNamedType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isIntrospectionType,
  isLeafType,
  isObjectType,
  OperationTypeNode,
} from 'graphql';
import { buildSchemaSync, type ClassType, Extensions, type PubSub } from 'type-graphql';
import { type ReasonTable, unauthenticated, unlessGone } from '../base/errors.js';
import { type Access as AccessName, assertMay, mayRead, scopeMissing } from '../base/scopes.js';
import { validate } from '../base/validation.js';
import { batched } from './batching.js';
import type { Context } from './context.js';
import { fieldsAtRoot } from './limits.js';
import { declareReasons } from './reason.js';
import { DateTime } from './scalars.js';

export interface SchemaHooks {
  /** Every reason of a refusal. */
  reasons: ReasonTable;
  /** The source of events for subscriptions. */
  changes: PubSub;
  /** Refuses if the account of the user is gone. */
  assertExists: (userId: string) => Promise<void>;
}

/** The classes of `resolvers` declare the schema; the instances resolve its fields. */
export function schemaOf(
  resolvers: object[],
  { reasons, changes, assertExists }: SchemaHooks,
): GraphQLSchema {
  declareReasons(reasons);
  const instances = new Map(resolvers.map((resolver) => [resolver.constructor, resolver]));
  const [first, ...others] = [...instances.keys()];
  const schema = buildSchemaSync({
    resolvers: [first, ...others] as unknown as [ClassType, ...ClassType[]],
    container: { get: (type) => instances.get(type) },
    pubSub: changes,
    scalarsMap: [{ type: Date, scalar: DateTime }],
    skipCheck: true, // it would validate at every start what the tests have validated
    validateFn: (input) => {
      if (typeof input === 'object' && input !== null) validate(input, { isOfGraphql: true });
    },
  });
  // TypeGraphQL does not know `@oneOf`: an input declares it by `@Extensions({ isOneOf: true })`.
  for (const type of Object.values(schema.getTypeMap()))
    if (isInputObjectType(type)) type.isOneOf = type.extensions.isOneOf === true;
  refuseGoneAccounts(schema, assertExists);
  refuseStrangers(schema);
  refuseReading(schema);
  for (const [type, description] of rootDescriptions(schema)) if (type) type.description = description;
  return schema;
}

/** TypeGraphQL cannot set the descriptions of root types. */
const rootDescriptions = (schema: GraphQLSchema) =>
  [
    [
      schema.getQueryType(),
      'Everything that can be read: what belongs to the user whose token is sent, and the templates of challenges. An argument that is null is as if it was left out.',
    ],
    [
      schema.getMutationType(),
      'Everything that can be changed. Every mutation has a payload of its own, except those that begin a session. A mutation that is refused answers null; the other mutations of the request are carried out. What is left out stays as it is, and null clears it, or is refused where there must be something; of what is made new, null is as if it was left out.',
    ],
    [
      schema.getSubscriptionType(),
      'Everything that can be watched, over a WebSocket or as server-sent events. After a reconnection, run your queries again, because changes in between are not sent.',
    ],
  ] as const;

type Field = GraphQLField<unknown, Context>;

/**
 * Who may ask for a query, mutation or subscription. Each has to say so, or there is no schema. Of any other field, or
 * of all of a type: which mutations may show it to a token without READ.
 */
export const Access = (access: AccessName) => Extensions({ access });

export const accessOf = ({ extensions }: Pick<Field, 'extensions'>): AccessName | undefined =>
  extensions.access as AccessName | undefined;

/** Refuses before arguments are looked at. */
function refuseStrangers(schema: GraphQLSchema): void {
  for (const type of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      const access = accessOf(field);
      if (access === undefined) throw new Error(`${type?.name}.${field.name} has no @Access`);
      if (access === 'OPEN') continue;
      if (field.resolve) field.resolve = guarded(field.resolve, access);
      if (field.subscribe) field.subscribe = guarded(field.subscribe, access);
    }
  }
}

const tokenMissing = ({ isOnSocket }: Context) =>
  unauthenticated(
    `User not authenticated: send ${isOnSocket ? "connectionParams { authorization: 'Bearer TOKEN' }" : 'the header Authorization: Bearer TOKEN'}`,
    'TOKEN_MISSING',
  );

const tokenInvalid = () =>
  unauthenticated('User not authenticated: the token is not valid any more, so get another by logIn');

const guarded =
  (resolve: GraphQLFieldResolver<unknown, Context>, access: AccessName): Field['resolve'] =>
  (source, args, context, info) => {
    const { caller, undecided, hasToken } = context;
    if (!caller) throw undecided ?? (hasToken ? tokenInvalid() : tokenMissing(context));
    assertMay(caller.scopes, access);
    return resolve(source, args, context, info);
  };

/**
 * A token without READ sees of the payload of its own mutation what it changed: the scalars of objects, unless
 * `@Access` says otherwise, and nothing below them.
 */
function refuseReading(schema: GraphQLSchema): void {
  const payloads = new Set(Object.values(schema.getMutationType()?.getFields() ?? {}).map(typeOfField));
  const readable = typesBelow(schema.getQueryType());
  for (const type of new Set([...readable, ...payloads])) {
    if (!isObjectType(type) || type === schema.getQueryType()) continue;
    for (const field of Object.values(type.getFields())) {
      const isOpen = !readable.has(type) || isLeafType(typeOfField(field));
      const access = accessOf(field) ?? (isOpen ? (accessOf(type) ?? 'OPEN') : 'READ');
      const isLeaf = isLeafType(typeOfField(field));
      if (access !== 'OPEN')
        field.resolve = readableBy(field.resolve ?? defaultFieldResolver, access, isLeaf);
    }
  }
}

const typeOfField = ({ type }: Pick<Field, 'type'>): GraphQLNamedType => getNamedType(type);

/** A type, and those to which its fields lead. */
function typesBelow(root: GraphQLNamedType | null | undefined, found = new Set<GraphQLNamedType>()) {
  if (!isObjectType(root) || found.has(root)) return found;
  found.add(root);
  for (const field of Object.values(root.getFields())) typesBelow(typeOfField(field), found);
  return found;
}

/** Whoever proves an address by a link has no session, and sees only the scalars of its account. */
const readableBy =
  (resolve: GraphQLFieldResolver<unknown, Context>, access: AccessName, isLeaf: boolean): Field['resolve'] =>
  (source, args, context, info) => {
    const { caller } = context;
    if (caller && mayRead(caller)) return resolve(source, args, context, info);
    const root = rootOf(info);
    const isOpen =
      root && accessOf(root) === 'OPEN' && (isLeaf || !isOfMutation(info) || beginsSession(root));
    if (isOpen || (root && accessOf(root) === access)) return resolve(source, args, context, info);
    throw caller ? scopeMissing('READ') : tokenMissing(context);
  };

const isOfMutation = ({ operation }: GraphQLResolveInfo) =>
  operation.operation === OperationTypeNode.MUTATION;

const beginsSession = (root: Field) => typeOfField(root).name === 'Session';

/** The root field that a field is below. */
function rootOf({ path, operation, fragments, schema }: GraphQLResolveInfo): Field | undefined {
  let root: { key: string | number; prev: GraphQLResolveInfo['path'] | undefined } = path;
  while (root.prev) root = root.prev;
  const nodes = fieldsAtRoot(operation, new Map(Object.entries(fragments)));
  const node = nodes.find(({ alias, name }) => (alias ?? name).value === root.key);
  return schema.getRootType(operation.operation)?.getFields()[node?.name.value ?? ''];
}

/**
 * When a resolver finds nothing or refuses an argument, first checks whether the account of the token is gone. Fields
 * that ask at the same time share one check. Only root fields and fields with arguments are wrapped: a TypeGraphQL
 * middleware would run around every field of every row.
 */
function refuseGoneAccounts(schema: GraphQLSchema, assertExists: (userId: string) => Promise<void>): void {
  const askOnce = batched(async (userIds: readonly string[]) => {
    await Promise.all([...new Set(userIds)].map(assertExists));
    return userIds.map(() => undefined);
  });
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || isIntrospectionType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      if (accessOf(field) === 'OPEN') continue; // a token that is sent along is not looked at, as in REST
      const { resolve } = field;
      if (!resolve || (!roots.includes(type) && field.args.length === 0)) continue;
      field.resolve = (source, args, context: Context, info) => {
        const { userId } = context;
        const answer = () => resolve(source, args, context, info);
        return userId === null ? answer() : unlessGone(answer, () => askOnce(context, userId));
      };
    }
  }
}
