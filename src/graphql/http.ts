import type { ApolloServer } from '@apollo/server';
import { expressMiddleware } from '@as-integrations/express5';
import { type ErrorRequestHandler, type Request, type RequestHandler, Router } from 'express';
import type { Logger } from 'pino';
import { overloaded } from '../errors.js';
import { jsonBody } from '../http/body.js';
import { asRequest } from '../request.js';
import { askerOf, type Context } from './context.js';
import { lane } from './lane.js';
import { MEDIA_TYPES, Preference } from './media-types.js';
import type { Operations } from './operations.js';
import type { TrustedDocuments } from './trusted-documents.js';
import { onlyTrusted } from './trusted-requests.js';

export interface GraphqlHttpSettings {
  authenticate: (authorization: unknown) => string | null;
  bodyLimit: number;
  /** In milliseconds: how long a request may send statements, counted from when its work began. */
  databaseTime: number;
  /** Answers clients that prefer an event stream to JSON. */
  eventStream: RequestHandler;
  operations: Operations;
  /** If set, only these documents are executed. */
  trustedDocuments?: TrustedDocuments | undefined;
  log: Logger;
}

const { message, details } = overloaded();

/** The answer of load shedding, serialised once. */
export const busyGraphql = JSON.stringify({
  errors: [{ message, extensions: { code: 'SERVICE_UNAVAILABLE', ...details } }],
});

/** `/graphql` over HTTP. Errors before a resolver are in the format of GraphQL too. */
export function graphqlRouter(
  server: ApolloServer<Context>,
  {
    authenticate,
    bodyLimit,
    databaseTime,
    eventStream,
    operations,
    trustedDocuments,
    log,
  }: GraphqlHttpSettings,
): Router {
  const router = Router();
  const preference = new Preference(MEDIA_TYPES);
  const contexts = new WeakMap<Request, Context>();
  const contextOf = (request: Request): Context => ({
    userId: authenticate(request.get('authorization')),
    address: request.ip ?? '',
    wantsPlainJson: preference.of(request) === MEDIA_TYPES[0],
  });
  const knownContextOf = (request: Request) => contexts.get(request) ?? contextOf(request);
  const withContext: RequestHandler = (request, _response, next) => {
    const context = contextOf(request);
    contexts.set(request, context);
    asRequest(databaseTime, next, askerOf(context));
  };
  router.use(
    '/graphql',
    refuseLongHeaders,
    jsonBody(bodyLimit),
    refuseOtherBodies,
    ...(trustedDocuments ? [onlyTrusted(trustedDocuments)] : []),
    eventStream,
    withContext,
    lane(operations, knownContextOf),
    expressMiddleware(server, { context: async ({ req }) => knownContextOf(req) }),
  );
  router.use('/graphql', failure(log));
  return router;
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
  (log: Logger): ErrorRequestHandler =>
  (error, _request, response, next) => {
    if (response.headersSent) return next(error);
    const given: unknown = error?.status;
    const isTheirs = typeof given === 'number' && given >= 400 && given < 500;
    if (!isTheirs) log.error({ err: error }, 'A GraphQL request failed');
    const status = isTheirs ? given : 500;
    const message = isTheirs ? (MESSAGES[status] ?? MESSAGES[400]) : 'Internal server error';
    const code = isTheirs ? 'BAD_REQUEST' : 'INTERNAL_SERVER_ERROR';
    response.status(status).json({ errors: [{ message, extensions: { code } }] });
  };
