import 'reflect-metadata';
import { ApolloServer, type ApolloServerPlugin, type GraphQLRequestContext, HeaderMap } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { type DocumentNode, GraphQLError, type GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import { buildSchemaSync, type ClassType, type PubSub } from 'type-graphql';
import type { GraphqlLimits } from '../config.js';
import { unauthenticated } from '../errors.js';
import { isTracing } from '../telemetry/spans.js';
import { admit } from '../validation/gate.js';
import { refuseMissingScopes } from './access.js';
import { refuseGoneAccounts } from './account-gone.js';
import { withinAnswerLimit } from './answer-size.js';
import { forApollo } from './bounded-cache.js';
import type { Context } from './context.js';
import { detach, execution, persistedTexts, validDocuments } from './documents.js';
import { formatError, tooDeep } from './errors.js';
import { assertWithinLimits, measure, type OperationCost, variablesOf } from './limits.js';
import { noting } from './noting.js';
import { DateTime } from './scalars.js';
import { conditionAtRoot } from './subscription-root.js';
import { traceRootFields } from './traced-fields.js';

export interface SchemaHooks {
  /** The source of events for subscriptions. */
  changes: PubSub;
  /** Refuses if the account of the user is gone. */
  assertExists: (userId: string) => Promise<void>;
}

/** The classes of `resolvers` declare the schema; the instances resolve its fields. */
export function schemaOf(resolvers: object[], { changes, assertExists }: SchemaHooks): GraphQLSchema {
  const instances = new Map(resolvers.map((resolver) => [resolver.constructor, resolver]));
  const [first, ...others] = [...instances.keys()];
  const schema = buildSchemaSync({
    resolvers: [first, ...others] as unknown as [ClassType, ...ClassType[]],
    container: { get: (type) => instances.get(type) },
    pubSub: changes,
    scalarsMap: [{ type: Date, scalar: DateTime }],
    skipCheck: true, // it would validate at every start what the tests have validated
    authChecker: ({ context }: { context: Context }) => {
      if (context.userId === null)
        throw (
          context.undecided ??
          unauthenticated(undefined, context.hasToken ? 'TOKEN_INVALID' : 'TOKEN_MISSING')
        );
      return true;
    },
    validateFn: (input) => {
      if (typeof input === 'object' && input !== null) admit(input, { idsAreText: true });
    },
  });
  refuseGoneAccounts(schema, assertExists);
  refuseMissingScopes(schema);
  if (isTracing()) traceRootFields(schema);
  for (const [type, description] of rootDescriptions(schema)) if (type) type.description = description;
  return schema;
}

/** TypeGraphQL cannot set the descriptions of root types. */
const rootDescriptions = (schema: GraphQLSchema) =>
  [
    [
      schema.getQueryType(),
      'What can be read: what belongs to the user whose token is sent, and the templates.',
    ],
    [
      schema.getMutationType(),
      'What can be done. Every mutation has a payload of its own, save those that begin a session.',
    ],
    [
      schema.getSubscriptionType(),
      'What can be watched, over a WebSocket or as server-sent events. After a reconnection, run your queries again: changes in between are not sent.',
    ],
  ] as const;

export interface GraphqlSettings {
  introspection: boolean;
  limits: GraphqlLimits;
  /** Called with every document that is carried out: it has passed all checks. */
  learn: (text: string, document: DocumentNode) => void;
  log: Logger;
}

export async function graphqlServer(
  schema: GraphQLSchema,
  { introspection, limits, learn, log }: GraphqlSettings,
): Promise<ApolloServer<Context>> {
  const server = new ApolloServer<Context>({
    schema,
    introspection,
    // A bearer header forces a preflight too, and there are no cookies.
    csrfPrevention: {
      requestHeaders: ['authorization', 'apollo-require-preflight', 'x-apollo-operation-name'],
    },
    formatError: formatError({ introspection, log }),
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    logger: log,
    documentStore: forApollo(validDocuments()),
    persistedQueries: { cache: forApollo(persistedTexts()) },
    parseOptions: { maxTokens: limits.tokens },
    executionOptions: execution,
    plugins: [
      ...withoutApollosOwn(),
      noting,
      detached,
      oneAnswer,
      withinLimits(limits),
      learning(learn),
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

/** Detaches a document before it is validated and cached. */
const detached: ApolloServerPlugin<Context> = {
  requestDidStart: async ({ request: { extensions } }) => {
    if (typeof extensions?.persistedQuery?.sha256Hash === 'object') throw badHash();
    return { validationDidStart: async ({ document }) => detach(document) };
  },
  // An error thrown here becomes the answer, in place of the original error.
  unexpectedErrorProcessingRequest: async ({ requestContext, error }) => {
    const { document, operation } = requestContext;
    const condition = document && conditionAtRoot(document);
    if (condition) throw condition;
    const cause = error instanceof RangeError && !operation ? tooDeep() : error;
    if (cause instanceof GraphQLError) throw asAnswer(cause, requestContext);
  },
};

/** Apollo would coerce the hash to a string. */
const badHash = () =>
  new GraphQLError('The hash of a persisted query must be text', { extensions: { code: 'BAD_REQUEST' } });

/** Adds the status that `statusByMediaType` sets on other answers: that hook does not run here. */
function asAnswer(
  { message, nodes, extensions }: GraphQLError,
  { contextValue, source }: GraphQLRequestContext<Context>,
): GraphQLError {
  const headers = new HeaderMap([['cache-control', 'no-store']]);
  const isDocumentAtFault = source !== undefined;
  const http = { status: contextValue.wantsPlainJson && isDocumentAtFault ? 200 : 400, headers };
  return new GraphQLError(message, { nodes, extensions: { ...extensions, http } });
}

/** A plain request has one answer. Subscriptions are served in `live/`. */
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

/** Refuses an operation over the limits. Reports its cost to clients that send `GraphQL-Cost: 1`. */
const withinLimits = (limits: GraphqlLimits): ApolloServerPlugin<Context> => ({
  requestDidStart: async () => {
    let cost: OperationCost | undefined;
    return {
      didResolveOperation: async ({ schema, document, operation, request }) => {
        const given = request.variables ?? {};
        const { coerced = given } = operation ? variablesOf(schema, operation, given) : {};
        if (operation) cost = assertWithinLimits(measure(schema, document, operation, coerced), limits);
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

const learning = (learn: GraphqlSettings['learn']): ApolloServerPlugin<Context> => ({
  requestDidStart: async () => ({
    executionDidStart: async ({ source, document }) => learn(source, document),
  }),
});

/** Refuses an answer that is too large, before it is serialised. */
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

/** GraphQL over HTTP: with plain JSON, a request whose document is refused is answered 200. */
const statusByMediaType: ApolloServerPlugin<Context> = {
  requestDidStart: async () => ({
    willSendResponse: async ({ contextValue, response, source }) => {
      response.http.headers.set('cache-control', 'no-store');
      const isDocumentAtFault = source !== undefined && response.http.status === 400;
      if (contextValue.wantsPlainJson && isDocumentAtFault) response.http.status = 200;
    },
  }),
};
