import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import {
  invalid,
  overloaded,
  type Reason,
  Refusal,
  type RefusalKind,
  reasonOfStatus,
} from '../base/errors.js';
import { endWork } from '../base/request.js';
import { refusalOf } from '../database/outcome.js';
import { ERROR_REASON, endWithJson } from '../http/answers.js';

/** How REST says "no". */
export const statusOf = {
  unauthenticated: 401,
  forbidden: 403,
  invalid: 400,
  missing: 404,
  gone: 410,
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

/** Of a file that is none. */
export const NO_FILE =
  'The body must be JSON in UTF-8 (Content-Type: application/json), or a ZIP archive (application/zip)';

export const INTERNAL = 'Internal server error';

export const notJson = () => invalid('The body is not valid JSON');

export const notAnObject = () => invalid('The body must be a JSON object');

/** Sentences that REST keeps to the letter, whatever GraphQL says. */
const SPECIFIED: Partial<Record<Reason, string>> = {
  CHALLENGE_ACTIVE: 'Você já possui um desafio ativo',
  KEY_REUSED: 'Idempotency key was used for another task',
};

export const sentenceOf = ({ reason, message }: Refusal): string => SPECIFIED[reason] ?? message;

function refuse(response: ServerResponse, refusal: Refusal): void {
  noteRefusal(response, refusal);
  const { faults } = refusal.details;
  endWithJson(response, statusOf[refusal.kind], { error: sentenceOf(refusal), faults });
}

/** Sets the status and headers of a refusal, and notes its reason for the log. */
export function noteRefusal(response: ServerResponse, { kind, reason, details }: Refusal): void {
  response.statusCode = statusOf[kind];
  noteReason(response, reason);
  if (kind === 'unauthenticated') response.setHeader('WWW-Authenticate', 'Bearer');
  if (details.retryAfter !== undefined) response.setHeader('Retry-After', String(details.retryAfter));
}

function noteReason(response: ServerResponse, reason: Reason): void {
  const { trail } = response.req;
  if (trail) trail.reason = reason;
  response.setHeader(ERROR_REASON, reason);
}

/** The body is a sentence for people, the header a reason for programs. */
export function endWithError(
  response: ServerResponse,
  status: number,
  error: string,
  reason: Reason = reasonOfStatus(status),
): void {
  noteReason(response, reason);
  endWithJson(response, status, { error });
}

/** What went wrong, with the status that Express or its body parser would answer. */
export type Failed = { status?: unknown; type?: string };

export type AnswerError = (error: Failed, request: IncomingMessage, response: ServerResponse) => void;

export const answerError =
  (log: Logger): AnswerError =>
  (error, request, response) => {
    const { method } = request;
    const route = request.trail?.route; // an address may hold a link that opens something
    if (response.headersSent) {
      log.warn({ err: error, method, route }, 'An answer was broken off');
      endWork();
      response.destroy(); // so that a client does not take a partial answer for a complete one
      return;
    }
    const refusal = error instanceof Refusal ? error : (refusalOf(error) ?? malformedJson(error));
    if (refusal) return refuse(response, refusal);

    const { status } = error ?? {};
    if (typeof status === 'number' && status >= 400 && status < 500) {
      return endWithError(response, status, messageOf(status));
    }
    log.error({ err: error, method, route }, 'A request failed');
    endWithError(response, 500, INTERNAL);
  };

const messageOf = (status: number) => MESSAGES[status as keyof typeof MESSAGES] ?? MESSAGES[400];

const malformedJson = (error: Failed) => (error?.type === 'entity.parse.failed' ? notJson() : undefined);
