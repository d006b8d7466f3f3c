import { ApolloServer, type ApolloServerPlugin, type GraphQLRequestContext, HeaderMap } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { GraphQLError, type GraphQLSchema } from 'graphql';
import type { GraphqlLimits } from '../config.js';
import { type Context, noteErrors, noteOperation } from './context.js';
import {
  conditionAtRoot,
  detach,
  execution,
  forApollo,
  persistedTexts,
  rootFieldsOf,
  validDocuments,
} from './documents.js';
import { formatError, tooDeep } from './errors.js';
import { assertWithinLimits, measure, type OperationCost, variablesOf, withinAnswerLimit } from './limits.js';
import type { Operations } from './operations.js';
import type { GraphqlSettings } from './settings.js';

export async function graphqlServer(
  schema: GraphQLSchema,
  operations: Operations,
  { config, log }: Pick<GraphqlSettings, 'config' | 'log'>,
): Promise<ApolloServer<Context>> {
  const { introspection, limits } = config;
  const server = new ApolloServer<Context>({
    schema,
    introspection,
    // A bearer header forces a preflight too, and there are no cookies.
    csrfPrevention: {
      requestHeaders: ['authorization', 'apollo-require-preflight', 'x-apollo-operation-name'],
    },
    formatError: formatError({ config, log }),
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
      learning(operations),
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

const noting: ApolloServerPlugin<Context> = {
  requestDidStart: async ({ contextValue: { trail } }) => ({
    didResolveOperation: async ({ document, operation }) => {
      if (operation) noteOperation(trail, operation, rootFieldsOf(document, operation));
    },
    willSendResponse: async ({ response: { body } }) => {
      if (body.kind === 'single') noteErrors(trail, body.singleResult.errors);
    },
  }),
};

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

/** A document that is carried out has passed all checks. */
const learning = (operations: Operations): ApolloServerPlugin<Context> => ({
  requestDidStart: async () => ({
    executionDidStart: async ({ source, document }) => operations.learn(source, document),
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
