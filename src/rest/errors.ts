import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { refusalOf } from '../database/outcome.js';
import type { Reason } from '../errors.js';
import { invalid, overloaded, Refusal, type RefusalKind } from '../errors.js';
import { endWithJson } from '../http/writing.js';

/** How REST says "no". */
export const statusOf = {
  unauthenticated: 401,
  forbidden: 403,
  invalid: 400,
  missing: 404,
  throttled: 429,
  tooMuch: 400,
  unavailable: 503,
} satisfies Record<RefusalKind, number>;

/** The answer of load shedding, serialised once. */
export const busyRest = JSON.stringify({ error: overloaded().message });

/** Messages for what Express and its body parser refuse, by status. None of them quotes the request. */
export const MESSAGES = {
  400: 'The request could not be read',
  413: 'The body is too large',
  415: 'The body must be JSON in UTF-8 (Content-Type: application/json)',
} satisfies Record<number, string>;

export const INTERNAL = 'Internal server error';

export const notJson = () => invalid('The body is not valid JSON');

export const notAnObject = () => invalid('The body must be a JSON object');

function refuse(response: ServerResponse, { kind, reason, message, details }: Refusal): void {
  noteReason(response, reason);
  if (details.retryAfter !== undefined) response.setHeader('Retry-After', String(details.retryAfter));
  endWithJson(response, statusOf[kind], { error: message });
}

function noteReason({ req: { trail } }: ServerResponse, reason: Reason): void {
  if (trail) trail.reason = reason;
}

/** What went wrong, with the status that Express or its body parser would answer. */
export type Failed = { status?: unknown; type?: string };

export type AnswerError = (error: Failed, request: IncomingMessage, response: ServerResponse) => void;

export const answerError =
  (log: Logger): AnswerError =>
  (error, request, response) => {
    const { method } = request;
    const path = request.url?.split('?', 1)[0];
    if (response.headersSent) {
      log.warn({ err: error, method, path }, 'An answer was broken off');
      response.destroy(); // so that a client does not take a partial answer for a complete one
      return;
    }
    const refusal = error instanceof Refusal ? error : (refusalOf(error) ?? malformedJson(error));
    if (refusal) return refuse(response, refusal);

    const { status } = error ?? {};
    if (typeof status === 'number' && status >= 400 && status < 500) {
      endWithJson(response, status, { error: messageOf(status) });
      return;
    }
    log.error({ err: error, method, path }, 'A request failed');
    noteReason(response, 'INTERNAL');
    endWithJson(response, 500, { error: INTERNAL });
  };

const messageOf = (status: number) => MESSAGES[status as keyof typeof MESSAGES] ?? MESSAGES[400];

const malformedJson = (error: Failed) => (error?.type === 'entity.parse.failed' ? notJson() : undefined);
