import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApolloServer } from '@apollo/server';
import { expressMiddleware } from '@as-integrations/express5';
import { type ErrorRequestHandler, type Request, type RequestHandler, Router } from 'express';
import type { FormattedExecutionResult } from 'graphql';
import type { Logger } from 'pino';
import { overloaded, Refusal, reasonOfCode } from '../base/errors.js';
import { asRequest } from '../base/request.js';
import { endWith, type Handler, Preference, vary } from '../http/answers.js';
import { jsonBody, type ReadJson, type WithBody } from '../http/body.js';
import type { Shortcuts } from '../http/server.js';
import { noteRoute } from '../telemetry/trail.js';
import {
  askerOf,
  type Context,
  contextIn,
  MEDIA_TYPES,
  noteErrors,
  noteOperation,
  typeOfError,
  whenIdentified,
} from './context.js';
import { carryOut } from './execution.js';
import { isOperation, type OperationRequest, type Operations } from './operations.js';
import type { GraphqlSettings } from './settings.js';

const { message, reason, details } = overloaded();

/** The answer of load shedding, serialised once. */
export const busyGraphql = JSON.stringify({
  errors: [{ message, extensions: { code: 'SERVICE_UNAVAILABLE', reason, ...details } }],
});

/** Says the same where a request was admitted, and its body had no turn. */
function answerBusy(response: ServerResponse): void {
  noteErrors(response.req.trail, [{ extensions: { reason } }]);
  response.statusCode = 503;
  response.setHeader('Retry-After', details.retryAfter ?? 1);
  response.setHeader('Content-Type', typeOfError(response.req));
  endWith(response, busyGraphql);
}

/** `/graphql` over HTTP. Errors before a resolver are in the format of GraphQL too. */
export interface GraphqlRoutes {
  router: Router;
  /** Answers usual requests before Express, and hands on all others. */
  shortcuts: Shortcuts;
}

interface Served {
  apollo: ApolloServer<Context>;
  operations: Operations;
  /** Answers clients that prefer an event stream to JSON. */
  eventStream: RequestHandler;
}

interface Usual {
  mediaType: string;
  next: () => void;
}

export function graphqlRoutes(
  { apollo, operations, eventStream }: Served,
  { config, callers, trusts, log }: GraphqlSettings,
): GraphqlRoutes {
  const { databaseTime } = config.timeouts;
  const fail = failure(log);
  const takeFastPath = fastPath(operations);
  const readJson = jsonBody(config.bodyLimit);
  const isPlain = (mediaType: unknown) => ({ wantsPlainJson: mediaType === MEDIA_TYPES[0] });

  const answerUsual = async (request: WithBody, response: ServerResponse, { mediaType, next }: Usual) => {
    await readJson(request, response);
    if (request.body === undefined) return next();
    vary(response, 'Accept');
    await whenIdentified(callers, request.headers.authorization, (identity) => {
      const context = contextIn(request, identity, trusts, isPlain(mediaType));
      const work = () => takeFastPath(request, response, { mediaType, context }, next);
      return asRequest(databaseTime, work, askerOf(context));
    });
  };
  const usual: Handler = (request, response, next) => {
    noteRoute(request, PATH);
    const mediaType = usualTypeOf(request);
    if (mediaType === undefined) next();
    else answerUsual(request, response, { mediaType, next }).catch((error) => fail(error, response));
  };

  const preference = new Preference(MEDIA_TYPES);
  const contexts = new WeakMap<Request, Context>();
  const contextBefore = (request: Request) => contexts.get(request) as Context;
  const withContext: RequestHandler = (request, _response, next) =>
    whenIdentified(callers, request.headers.authorization, (identity) => {
      const context = contextIn(request, identity, trusts, isPlain(preference.of(request)));
      contexts.set(request, context);
      asRequest(databaseTime, next, askerOf(context));
    });
  const beforeApollo: RequestHandler = (request, response, next) => {
    const mediaType = request.method === 'POST' && apolloTypes.of(request);
    if (!mediaType || !MEDIA_TYPES.includes(mediaType)) return next();
    return takeFastPath(request, response, { mediaType, context: contextBefore(request) }, next);
  };
  const router = Router();
  router.use(
    PATH,
    routed,
    refuseLongHeaders,
    parsedBy(readJson),
    refuseOtherBodies,
    eventStream,
    withContext,
    beforeApollo,
    expressMiddleware(apollo, { context: async ({ req }) => contextBefore(req) }),
  );
  const asExpress: ErrorRequestHandler = (error, _request, response, _next) => fail(error, response);
  router.use(PATH, asExpress);
  return { router, shortcuts: [[`POST ${PATH}`, usual]] };
}

const parsedBy =
  (readJson: ReadJson): RequestHandler =>
  (request, response, next) =>
    readJson(request, response).then(() => next(), next);

const PATH = '/graphql';

const routed: RequestHandler = (request, _response, next) => {
  noteRoute(request, PATH);
  next();
};

/** The media type of the answer, if the same header has been read before and cannot prefer an event stream. */
function usualTypeOf(request: IncomingMessage): string | undefined {
  const type = apolloTypes.knownOf(request);
  const isUsual = type && MEDIA_TYPES.includes(type) && !/text\/|q=/i.test(request.headers.accept ?? '');
  return isUsual ? type : undefined;
}

/**
 * Apollo parses these headers with regular expressions that take quadratic time. Honest ones have about 150
 * characters.
 */
const LONG_READING = ['accept', 'content-type'];
const MAX_HEADER = 1_024;

const refuseLongHeaders: RequestHandler = (request, _response, next) => {
  const isLong = LONG_READING.some((name) => (request.get(name)?.length ?? 0) > MAX_HEADER);
  next(isLong ? Object.assign(new Error('Headers too long'), { status: 431 }) : undefined);
};

const refuseOtherBodies: RequestHandler = (request, _response, next) => {
  if (request.method === 'POST' && request.body === undefined) {
    return next(Object.assign(new Error('Not JSON'), { status: 415 }));
  }
  request.body ??= {};
  next();
};

const MESSAGES: Record<number, string> = {
  400: 'The request is not valid JSON',
  413: 'The request is too large',
  431: `Accept and Content-Type may have at most ${MAX_HEADER} characters`,
  415: 'The request must be JSON in UTF-8 (Content-Type: application/json)',
};

const failure =
  (log: Logger) =>
  (error: unknown, response: ServerResponse): void => {
    if (response.headersSent) {
      log.warn({ err: error }, 'An answer was broken off');
      return void response.destroy();
    }
    if (error instanceof Refusal && error.reason === reason) return void answerBusy(response);
    const given = (error as { status?: unknown } | undefined)?.status;
    const isTheirs = typeof given === 'number' && given >= 400 && given < 500;
    if (!isTheirs) log.error({ err: error }, 'A GraphQL request failed');
    const status = isTheirs ? given : 500;
    const message = isTheirs ? (MESSAGES[status] ?? MESSAGES[400]) : 'Internal server error';
    const code = isTheirs ? 'BAD_REQUEST' : 'INTERNAL_SERVER_ERROR';
    const extensions = { code, reason: reasonOfCode(code) };
    noteErrors(response.req.trail, [{ extensions }]);
    response.statusCode = status;
    response.setHeader('Content-Type', typeOfError(response.req));
    endWith(response, JSON.stringify({ errors: [{ message, extensions }] }));
  };

/** The media types that Apollo chooses from. */
const apolloTypes = new Preference([...MEDIA_TYPES, 'application/json; callbackSpec=1.0; charset=utf-8']);

/** What the fast path needs to know about a request. */
interface Identified {
  mediaType: string;
  context: Context;
}

type FastPath = (
  request: WithBody,
  response: ServerResponse,
  identified: Identified,
  next: () => void,
) => Promise<void>;

/**
 * The fast path: carries out documents that are known to be valid without Apollo, whose way from the body to the
 * answer takes longer than all the rest together. Whatever is unusual goes on to Apollo: a new document, an error in
 * the request, a persisted query, a subscription.
 */
const fastPath =
  (operations: Operations): FastPath =>
  async (request, response, { mediaType, context }, next) => {
    const asked = operationIn(request.body);
    const admitted = asked && operations.admitUsual(asked, context);
    if (!admitted) return next();
    noteOperation(context.trail, admitted.operation, admitted.rootFields, true);
    const result = await carryOut(admitted);
    const answer = operations.formatted(result, admitted);
    noteErrors(context.trail, answer.errors);
    const isTooLarge = answer.data === undefined;
    response.statusCode = isTooLarge && mediaType !== MEDIA_TYPES[0] ? 400 : 200;
    response.setHeader('content-type', mediaType);
    send(response, answer);
  };

/** The operation in a body without anything unusual. */
function operationIn(body: unknown): OperationRequest | undefined {
  if (!isOperation(body)) return undefined;
  const { query, operationName, variables, extensions } = body;
  const isPlain = isAbsent(extensions) || (isRecord(extensions) && extensions.persistedQuery === undefined);
  return isPlain ? { query, operationName: operationName ?? null, variables: variables ?? null } : undefined;
}

const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** In Apollo's order of the parts, with a line break at the end. */
function send(response: ServerResponse, { errors, data, extensions }: FormattedExecutionResult): void {
  const text = `${JSON.stringify({ errors, data, extensions })}\n`;
  response.setHeader('cache-control', 'no-store');
  endWith(response, text);
}
