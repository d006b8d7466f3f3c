import { ApolloServer, type ApolloServerPlugin, HeaderMap } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { GraphQLError, type GraphQLSchema } from 'graphql';
import type { GraphqlLimits } from '../base/config.js';
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
  const { limits } = config;
  const format = formatError({ log, schema });
  const server = new ApolloServer<Context>({
    schema,
    introspection: true, // Apollo's own default depends on NODE_ENV
    // A bearer header forces a preflight too, and there are no cookies.
    csrfPrevention: {
      requestHeaders: ['authorization', 'apollo-require-preflight', 'x-apollo-operation-name'],
    },
    formatError: (formatted, error) => format(formatted, error),
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    logger: log,
    documentStore: forApollo(validDocuments()),
    persistedQueries: { cache: forApollo(persistedTexts()) },
    parseOptions: { maxTokens: limits.tokens },
    executionOptions: execution,
    plugins: [...withoutApollosOwn(), ours(operations, limits)],
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

/** What is done for other transports in `operations.ts`. */
const ours = (operations: Operations, limits: GraphqlLimits): ApolloServerPlugin<Context> => ({
  requestDidStart: async ({
    request: { extensions },
    contextValue: { trail, wantsPlainJson, wantsCost },
  }) => {
    // Apollo would coerce the hash to a string.
    if (typeof extensions?.persistedQuery?.sha256Hash === 'object')
      throw refused('The hash of a persisted query must be text');
    let cost: OperationCost | undefined;
    return {
      validationDidStart: async ({ document }) => detach(document),
      didResolveOperation: async ({ schema, document, operation, request }) => {
        if (!operation) return;
        noteOperation(trail, operation, rootFieldsOf(document, operation));
        if (operation.operation === 'subscription')
          throw refused('Subscribe over a WebSocket, or with Accept: text/event-stream', 400);
        const given = request.variables ?? {};
        const { coerced = given } = variablesOf(schema, operation, given);
        cost = assertWithinLimits(measure(schema, document, operation, coerced), limits);
      },
      // A document that is carried out has passed all checks.
      executionDidStart: async ({ source, document }) => operations.learn(source, document),
      willSendResponse: async ({ response: { body, http }, operation, source }) => {
        http.headers.set('cache-control', 'no-store');
        if (body.kind === 'single') {
          const result = body.singleResult;
          if (cost && wantsCost) result.extensions = { ...result.extensions, cost };
          body.singleResult = withinAnswerLimit(result, limits.answer, operation?.operation);
          if (body.singleResult !== result) http.status = 400;
          noteErrors(trail, body.singleResult.errors);
        }
        http.status = statusFor(http.status, wantsPlainJson, source);
      },
    };
  },
  // An error thrown here becomes the answer, in place of the original error. `willSendResponse` does not run then.
  unexpectedErrorProcessingRequest: async ({ requestContext, error }) => {
    const { document, operation, contextValue, source } = requestContext;
    const condition = document && conditionAtRoot(document);
    if (condition) throw condition;
    const cause = error instanceof RangeError && !operation ? tooDeep() : error;
    if (!(cause instanceof GraphQLError)) return;
    const headers = new HeaderMap([['cache-control', 'no-store']]);
    const http = { status: statusFor(400, contextValue.wantsPlainJson, source), headers };
    const { message, nodes, extensions } = cause;
    throw new GraphQLError(message, { nodes, extensions: { ...extensions, http } });
  },
});

const refused = (message: string, status?: number) =>
  new GraphQLError(message, { extensions: { code: 'BAD_REQUEST', ...(status && { http: { status } }) } });

/** GraphQL over HTTP: with plain JSON, a request whose document is refused is answered 200. */
const statusFor = (status: number | undefined, wantsPlainJson: boolean, source: string | undefined) =>
  wantsPlainJson && source !== undefined && status === 400 ? 200 : status;
