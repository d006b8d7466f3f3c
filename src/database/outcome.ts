import { setTimeout as delay } from 'node:timers/promises';
import { type Refusal, unavailable } from '../errors.js';
import { isLate, outcomeSoFar } from '../request.js';
import { TOO_LATE } from './in-time.js';

type Outcome = 'NOT_APPLIED' | 'UNKNOWN';

/** Something of the service's own that kept a statement from being sent. */
export class NotSent extends Error {
  readonly code = 'NOT_SENT';
  readonly outcome = outcomeSoFar();
}

/** What kept a server from being used at start, whatever it was: the address, the network, TLS, the log-in. */
export class ServerError extends Error {
  readonly code: string | undefined;

  constructor(cause: unknown) {
    const { code, message, errors = [] } = cause as NodeJS.ErrnoException & { errors?: Error[] };
    // A name with several addresses fails with an error for each, and says nothing itself.
    super(message || errors.map((each) => each.message).join(', '), { cause });
    this.code = code;
  }
}

export const TIME_IS_UP = 'The request has no time left';

/** Refused or given up before the statement went out, or answered by the server with an error that undid it. */
const NOT_APPLIED = new RegExp(
  `^(NOT_SENT|${TOO_LATE}|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|53\\w{3}|58030|57P03|57014|55P03|40001|40P01|25006|25P03|25P04)$`,
);

/** The connection went away while a statement was under way. */
const UNKNOWN = /^(57P01|57P02|57P05|08\w{3}|EPIPE|ECONNRESET|ETIMEDOUT)$/;

const NEVER_CONNECTED = /timeout exceeded when trying to connect|terminated due to connection timeout/;
const CONNECTION_LOST = /Connection terminated|Query read timeout|not queryable|Connection ended/;

/** The last one means that the clock of the server has stepped: by the next time the clocks are compared anew. */
const COLLISION = new RegExp(`^(40001|40P01|${TOO_LATE})$`);

interface DatabaseError {
  code?: unknown;
  message?: string;
  /** What the guard of the pool knows better than anyone who only sees the error. */
  outcome?: Outcome;
  /** The guard has given up the connection, or there was none. */
  isLost?: boolean;
}

/** By severity, not by SQLSTATE: an EPIPE looks like one. */
export const isPlainError = (error: unknown) => (error as { severity?: string }).severity === 'ERROR';

/** Errs on the safe side: what only reads has none of these words. */
export const mayWrite = (text: string) => /\b(insert|update|delete|merge|call|do)\b/i.test(text);

/** What a failing database means for the request that met it; undefined when the database is not to blame. */
export function refusalOf(error: unknown): Refusal | undefined {
  const { isLost, outcome = 'UNKNOWN' } = (error ?? {}) as DatabaseError;
  return isLost ? unavailable(outcome) : refusalByCode(error);
}

/** Of faults that pass. Others do not: a wrong password, for one. */
export function refusalByCode(error: unknown): Refusal | undefined {
  const { code = '', message = '', outcome } = (error ?? {}) as DatabaseError;
  if (NOT_APPLIED.test(String(code)) || NEVER_CONNECTED.test(message))
    return unavailable(outcome ?? 'NOT_APPLIED');
  if (UNKNOWN.test(String(code)) || CONNECTION_LOST.test(message)) return unavailable(outcome ?? 'UNKNOWN');
  return undefined;
}

const PAUSE = 50;

/** For work that may be done again without being done twice: asks until the outcome is known, or time is up. */
export async function untilKnown<T>(work: () => Promise<T>): Promise<T> {
  let isUnknown = false;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const outcome = refusalOf(error)?.details.outcome;
      isUnknown ||= outcome === 'UNKNOWN';
      if (!outcome || isLate()) throw isUnknown && outcome ? unavailable('UNKNOWN') : error;
      await delay(PAUSE);
    }
  }
}

const RETRIES = 3;

/** For work that the server has undone as a whole, for a reason that passes: it may be tried again in time. */
export async function despiteCollisions<T>(work: () => Promise<T>): Promise<T> {
  for (let retry = 1; ; retry += 1) {
    try {
      return await work();
    } catch (error) {
      const isOver = retry > RETRIES || isLate();
      if (isOver || !COLLISION.test(String((error as DatabaseError).code))) throw error;
      await delay(Math.random() * 2 ** retry * 10); // so that they do not meet again
    }
  }
}
