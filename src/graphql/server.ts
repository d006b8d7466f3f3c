import 'reflect-metadata';
import { ApolloServer, type ApolloServerPlugin, type GraphQLRequestContext, HeaderMap } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { GraphQLError, type GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import { buildSchemaSync, type ClassType, type PubSub } from 'type-graphql';
import type { GraphqlLimits } from '../config.js';
import { unauthenticated } from '../errors.js';
import { admit } from '../validation/gate.js';
import { refuseTheGone } from './account-gone.js';
import { withinAnswerLimit } from './answer-size.js';
import type { Context } from './context.js';
import { detach, execution, persistedTexts, validDocuments } from './documents.js';
import { formatError, tooDeep } from './errors.js';
import { assertWithinLimits, type OperationCost } from './limits.js';
import { DateTime } from './scalars.js';
import { conditionAtRoot } from './subscription-root.js';

export interface SchemaHooks {
  /** Feeds subscriptions. */
  changes: PubSub;
  /** Refuses a user whose account is gone. */
  assertExists: (userId: string) => Promise<void>;
}

/** `resolvers` are the instances that answer; the schema is what their classes declare. */
export function schemaOf(resolvers: object[], { changes, assertExists }: SchemaHooks): GraphQLSchema {
  const instances = new Map(resolvers.map((resolver) => [resolver.constructor, resolver]));
  const [first, ...others] = [...instances.keys()];
  const schema = buildSchemaSync({
    resolvers: [first, ...others] as unknown as [ClassType, ...ClassType[]],
    container: { get: (type) => instances.get(type) },
    pubSub: changes,
    scalarsMap: [{ type: Date, scalar: DateTime }],
    authChecker: ({ context }: { context: Context }) => {
      if (context.userId === null) throw unauthenticated();
      return true;
    },
    validateFn: (input) => {
      if (typeof input === 'object' && input !== null) admit(input, { idsAreText: true });
    },
  });
  refuseTheGone(schema, assertExists);
  for (const [type, description] of rootDescriptions(schema)) if (type) type.description = description;
  return schema;
}

/** TypeGraphQL has no words for these. */
const rootDescriptions = (schema: GraphQLSchema) =>
  [
    [schema.getQueryType(), 'What can be read. Everything belongs to the user whose token is sent.'],
    [schema.getMutationType(), 'What can be done. Each has an input and a payload of its own.'],
    [
      schema.getSubscriptionType(),
      'What can be watched, over a WebSocket or as server-sent events. After a reconnection, query: what came in between is not sent again.',
    ],
  ] as const;

export interface GraphqlSettings {
  introspection: boolean;
  limits: GraphqlLimits;
  log: Logger;
}

export async function graphqlServer(
  schema: GraphQLSchema,
  { introspection, limits, log }: GraphqlSettings,
): Promise<ApolloServer<Context>> {
  const server = new ApolloServer<Context>({
    schema,
    introspection,
    // A bearer header forces a preflight as well, and there are no cookies.
    csrfPrevention: {
      requestHeaders: ['authorization', 'apollo-require-preflight', 'x-apollo-operation-name'],
    },
    formatError: formatError({ introspection, log }),
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    logger: log,
    documentStore: validDocuments(),
    persistedQueries: { cache: persistedTexts() },
    parseOptions: { maxTokens: limits.tokens },
    executionOptions: execution,
    plugins: [
      ...withoutApollosOwn(),
      detached,
      oneAnswer,
      withinLimits(limits),
      withinAnswer(limits),
      statusByMediaType,
    ],
  });
  await server.start();
  return server;
}

const withoutApollosOwn = (): ApolloServerPlugin[] => [
  ApolloServerPluginCacheControlDisabled(),
  ApolloServerPluginInlineTraceDisabled(),
  ApolloServerPluginLandingPageDisabled(),
  ApolloServerPluginSchemaReportingDisabled(),
  ApolloServerPluginUsageReportingDisabled(),
];

/** Before a document is validated, and kept. */
const detached: ApolloServerPlugin<Context> = {
  requestDidStart: async ({ request: { extensions } }) => {
    if (typeof extensions?.persistedQuery?.sha256Hash === 'object') throw badHash();
    return { validationDidStart: async ({ document }) => detach(document) };
  },
  // What this hook throws is answered in the place of what was thrown at a document.
  unexpectedErrorProcessingRequest: async ({ requestContext, error }) => {
    const { document, operation } = requestContext;
    const condition = document && conditionAtRoot(document);
    if (condition) throw condition;
    const fault = error instanceof RangeError && !operation ? tooDeep() : error;
    if (fault instanceof GraphQLError) throw asAnswer(fault, requestContext);
  },
};

/** Apollo makes text of it. */
const badHash = () =>
  new GraphQLError('The hash of a persisted query must be text', { extensions: { code: 'BAD_REQUEST' } });

/** With what `statusByMediaType` does for others: it is not asked here. */
function asAnswer(
  { message, nodes, extensions }: GraphQLError,
  { contextValue, source }: GraphQLRequestContext<Context>,
): GraphQLError {
  const headers = new HeaderMap([['cache-control', 'no-store']]);
  const isDocumentAtFault = source !== undefined;
  const http = { status: contextValue.wantsPlainJson && isDocumentAtFault ? 200 : 400, headers };
  return new GraphQLError(message, { nodes, extensions: { ...extensions, http } });
}

/** A plain request has one answer; see `live/` for those that have more. */
const oneAnswer: ApolloServerPlugin<Context> = {
  requestDidStart: async () => ({
    didResolveOperation: async ({ operation }) => {
      if (operation?.operation !== 'subscription') return;
      throw new GraphQLError('Subscribe over a WebSocket, or with Accept: text/event-stream', {
        extensions: { code: 'BAD_REQUEST', http: { status: 400 } },
      });
    },
  }),
};

/** Refuses what asks for too much, and tells whoever asks with `GraphQL-Cost: 1` what an operation costs. */
const withinLimits = (limits: GraphqlLimits): ApolloServerPlugin<Context> => ({
  requestDidStart: async () => {
    let cost: OperationCost | undefined;
    return {
      didResolveOperation: async ({ schema, document, request }) => {
        cost = assertWithinLimits(schema, document, request.operationName, request.variables ?? {}, limits);
      },
      willSendResponse: async ({ request, response }) => {
        if (!cost || request.http?.headers.get('graphql-cost') !== '1') return;
        if (response.body.kind === 'single') {
          response.body.singleResult.extensions = { ...response.body.singleResult.extensions, cost };
        }
      },
    };
  },
});

/** Refuses what would be too much to send, before it becomes text. */
const withinAnswer = ({ answer: limit }: GraphqlLimits): ApolloServerPlugin<Context> => ({
  requestDidStart: async () => ({
    willSendResponse: async ({ operation, response }) => {
      if (response.body.kind !== 'single') return;
      const { singleResult } = response.body;
      const answer = withinAnswerLimit(singleResult, limit, operation?.operation);
      if (answer === singleResult) return;
      response.body.singleResult = answer;
      response.http.status = 400;
    },
  }),
});

/** GraphQL over HTTP: where plain JSON is negotiated, a refused document is still a well-formed request. */
const statusByMediaType: ApolloServerPlugin<Context> = {
  requestDidStart: async () => ({
    willSendResponse: async ({ contextValue, response, source }) => {
      response.http.headers.set('cache-control', 'no-store');
      const isDocumentAtFault = source !== undefined && response.http.status === 400;
      if (contextValue.wantsPlainJson && isDocumentAtFault) response.http.status = 200;
    },
  }),
};
