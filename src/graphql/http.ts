import type { ApolloServer } from '@apollo/server';
import { expressMiddleware } from '@as-integrations/express5';
import { type ErrorRequestHandler, json, type Request, type RequestHandler, Router } from 'express';
import type { Logger } from 'pino';
import type { Context } from './context.js';

export interface GraphqlHttpSettings {
  authenticate: (authorization: unknown) => string | null;
  bodyLimit: number;
  log: Logger;
}

/** `/graphql` over HTTP. What fails before a resolver is reached is answered as GraphQL answers are. */
export function graphqlRouter(
  server: ApolloServer<Context>,
  { authenticate, bodyLimit, log }: GraphqlHttpSettings,
): Router {
  const router = Router();
  const context = async ({ req }: { req: Request }) => ({
    userId: authenticate(req.get('authorization')),
    wantsPlainJson: req.accepts(MEDIA_TYPES) === MEDIA_TYPES[0],
  });
  router.use(
    '/graphql',
    json({ limit: bodyLimit }),
    refuseOtherBodies,
    expressMiddleware(server, { context }),
  );
  router.use('/graphql', failure(log));
  return router;
}

/** As Apollo knows them, in its order of preference, other things being equal. */
const MEDIA_TYPES = ['application/json; charset=utf-8', 'application/graphql-response+json; charset=utf-8'];

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
