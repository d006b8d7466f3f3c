import type { ErrorRequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { refusalOf } from '../database/outcome.js';
import { invalid, overloaded, Refusal, type RefusalKind } from '../errors.js';

/** How REST says "no". */
export const statusOf = {
  unauthenticated: 401,
  invalid: 400,
  missing: 404,
  throttled: 429,
  tooMuch: 400,
  unavailable: 503,
} satisfies Record<RefusalKind, number>;

/** The answer of load shedding, serialised once. */
export const busyRest = JSON.stringify({ error: overloaded().message });

/** Messages for what Express and its body parser refuse, by status. None of them quotes the request. */
const MESSAGES: Record<number, string> = {
  400: 'The request could not be read',
  413: 'The body is too large',
  415: 'The body must be JSON in UTF-8 (Content-Type: application/json)',
};

export function refuse(response: Response, { kind, message, details }: Refusal): void {
  if (details.retryAfter !== undefined) response.set('Retry-After', String(details.retryAfter));
  response.status(statusOf[kind]).json({ error: message });
}

export const errorHandler =
  (log: Logger): ErrorRequestHandler =>
  (error, request, response, _next) => {
    if (response.headersSent) {
      log.warn({ err: error, method: request.method, path: request.path }, 'An answer was broken off');
      response.destroy(); // so that a client does not take a partial answer for a complete one
      return;
    }
    const refusal = error instanceof Refusal ? error : (refusalOf(error) ?? malformedJson(error));
    if (refusal) return refuse(response, refusal);

    const status: unknown = error?.status;
    if (typeof status === 'number' && status >= 400 && status < 500) {
      response.status(status).json({ error: MESSAGES[status] ?? MESSAGES[400] });
      return;
    }
    log.error({ err: error, method: request.method, path: request.path }, 'A request failed');
    response.status(500).json({ error: 'Internal server error' });
  };

const malformedJson = (error: { type?: string }) =>
  error?.type === 'entity.parse.failed' ? invalid('The body is not valid JSON') : undefined;
