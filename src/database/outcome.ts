import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { type Outcome, type Reason, type Refusal, unavailable, zoneUnknown } from '../base/errors.js';
import { isLate, outcomeSoFar } from '../base/request.js';

/**
 * A statement parameter: the latest instant at which the statement may begin. It is a placeholder: the connection
 * replaces it when it sends the statement, because it must be in the server's time; see `PoolConnection`.
 */
export type LatestStart = Date & { readonly isLatestStart: true };

/** Marked by a property and not by a class, which would be lost where something replaces `Date`. */
export const latestStart = (): LatestStart =>
  Object.assign(new Date('9999-12-31T23:59:59Z'), { isLatestStart: true as const });

export const isLatestStart = (value: unknown): value is LatestStart =>
  typeof value === 'object' && value !== null && 'isLatestStart' in value;

/** The SQLSTATE that the condition raises. */
export const TOO_LATE = 'ST001';

const latest = sql`${latestStart()}::timestamptz`;

/**
 * A condition for single statements that change something. A statement that was given up may have been delayed on its
 * way; executed late, it would land after newer changes. Transactions do not need it: the server ends those that stay
 * idle. The function raises the error; in time it is not called, which is cheaper.
 */
export const inTime = sql<boolean>`(now() <= ${latest} or assert_in_time(${latest}))`;

/** The service itself kept the statement from being sent. */
export class NotSent extends Error {
  readonly code = 'NOT_SENT';
  readonly outcome = outcomeSoFar();

  constructor(readonly reason: Reason) {
    super('The request has no time left');
  }
}

/** Why a request has no time left: it waited for others, or all of them for a database that does not answer. */
export const reasonNow = ({ isAway }: { isAway: boolean }): Reason =>
  isAway ? 'DATABASE_AWAY' : 'OVERLOADED';

/** The server could not be used at the start: because of the address, the network, TLS or the log-in. */
export class ServerError extends Error {
  readonly code: string | undefined;

  constructor(
    cause: unknown,
    /** The name of the setting with its address. */
    readonly setting = 'DATABASE_URL',
  ) {
    const { code, message, errors = [] } = cause as NodeJS.ErrnoException & { errors?: Error[] };
    // If a host name has several addresses, the error has one cause per address, and no message.
    super(message || errors.map((each) => each.message).join(', '), { cause });
    this.code = code;
  }
}

/** The statement was never sent, or the server answered with an error that rolled it back. */
const NOT_APPLIED = new RegExp(
  `^(NOT_SENT|${TOO_LATE}|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|53\\w{3}|58030|57P03|57014|55P03|40001|40P01|25006|25P03|25P04)$`,
);

/** The database is there, but others were before this request with a lock, or the statement took its whole time. */
const IS_THERE = /^(40001|40P01|55P03|57014)$/;

function reasonOf(error: DatabaseError): Reason {
  if (error.reason) return error.reason;
  if (isOutOfRoom(error)) return 'DATABASE_FULL';
  return IS_THERE.test(String(error.code)) ? 'OVERLOADED' : 'DATABASE_AWAY';
}

/** The connection was lost while a statement was under way. */
export const UNKNOWN = /^(57P01|57P02|57P05|08\w{3}|EPIPE|ECONNRESET|ETIMEDOUT)$/;

/** The words of the pool and of a connection that could not be made in time. */
const NEVER_CONNECTED =
  /timeout exceeded when trying to connect|terminated due to connection timeout|^timeout expired$/;

const CONNECTION_LOST = /Connection terminated|not queryable|Connection ended/;

const NOT_ANSWERED = /Query read timeout/;

/** Whether the server has not answered a statement in time. */
export const isUnanswered = (error: unknown): boolean =>
  NOT_ANSWERED.test((error as DatabaseError).message ?? '');

/** Whether the database may well be there, and was only slow: its connection, a lock or a statement took too long. */
export function isTooLate(error: unknown): boolean {
  const { code, message = '' } = error as DatabaseError;
  return /^(55P03|57014)$/.test(String(code)) || NOT_ANSWERED.test(message) || NEVER_CONNECTED.test(message);
}

/** Whether the connection was lost under a statement, which the server has not answered. */
export function isConnectionLost(error: unknown): boolean {
  const { code, message = '' } = error as DatabaseError;
  return !isPlainError(error) && (UNKNOWN.test(String(code)) || CONNECTION_LOST.test(message));
}

/** PgBouncer in transaction mode refuses the settings of a session with these words. */
export const GIVES_NO_SESSION = /unsupported startup parameter/;

/** The words of our driver for a server that does not speak TLS. */
export const HAS_NO_TLS = /does not support SSL connections/;

/** PgBouncer has given up looking for a server: until then it keeps a statement to itself. */
const KEPT_BY_POOLER = /query_wait_timeout|server_login_retry/;

/** Whether the statement has not reached the server. */
export const isHeldByPooler = (error: unknown): boolean => {
  const { code, message = '' } = error as DatabaseError;
  return code === '08P01' && KEPT_BY_POOLER.test(message);
};

/**
 * Errors that are worth a retry. TOO_LATE means that the server's clock has stepped: the retry compares the clocks
 * again.
 */
const COLLISION = new RegExp(`^(40001|40P01|${TOO_LATE})$`);

/** A migration has changed what a prepared statement answers. Under a new name it is planned anew. */
export const isPlanStale = (error: unknown): boolean => {
  const { code, routine } = (error ?? {}) as { code?: unknown; routine?: string };
  return code === '0A000' && routine === 'RevalidateCachedQuery';
};

/** The server takes no writes: it is a standby, or an old primary. */
export const isReadOnly = (error: unknown): boolean => (error as DatabaseError).code === READ_ONLY;

export const READ_ONLY = '25006';

/** The server has no room on its disk for what is written. */
export const isOutOfRoom = (error: unknown): boolean => (error as DatabaseError).code === '53100';

const isCollision = (error: unknown) =>
  isPlanStale(error) || COLLISION.test(String((error as DatabaseError).code));

/** Known by the function that says so, since the message may be translated; its name depends on the release. */
export function isZoneUnknown(error: unknown): boolean {
  const { code, routine = '' } = (error ?? {}) as DatabaseError;
  return code === '22023' && /^(DecodeTimezoneName|timestamp(tz)?_zone)$/.test(routine);
}

interface DatabaseError {
  code?: unknown;
  message?: string;
  /** The function of PostgreSQL that found the error. */
  routine?: string;
  /** Set by the guard of the pool, which knows more than the error tells. */
  outcome?: Outcome;
  reason?: Reason;
  /** The guard has discarded the connection, there was none, or the server has lost one of its own. */
  isLost?: boolean;
}

/** Judged by severity, not by SQLSTATE: EPIPE looks like one. */
export const isPlainError = (error: unknown) => (error as { severity?: string }).severity === 'ERROR';

/** Whether a statement surely changed nothing, whatever its request has changed before. */
export const isNotApplied = (error: unknown): boolean =>
  error instanceof NotSent || isPlainError(error) || (error as DatabaseError).outcome === 'NOT_APPLIED';

/** May give a false alarm, but never misses a write: a plain read contains none of these words. */
export const mayWrite = (text: string) => /\b(insert|update|delete|merge|call|do)\b/i.test(text);

/** Whether the same statement may succeed later. */
export const isTransient = (error: unknown): boolean => refusalByCode(error) !== undefined;

/** The refusal for a request that met a database failure; undefined if the error has another cause. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (isZoneUnknown(error)) return zoneUnknown();
  const { isLost, outcome = 'UNKNOWN' } = (error ?? {}) as DatabaseError;
  if (!isLost) return refusalByCode(error);
  return unavailable(outcome, isOutOfRoom(error) ? 'DATABASE_FULL' : 'DATABASE_AWAY');
}

/** Only for transient errors. A wrong password, for one, is permanent. */
export function refusalByCode(error: unknown): Refusal | undefined {
  const found = (error ?? {}) as DatabaseError;
  const { code = '', message = '', outcome } = found;
  if (NOT_APPLIED.test(String(code)) || NEVER_CONNECTED.test(message))
    return unavailable(outcome ?? 'NOT_APPLIED', reasonOf(found));
  const isUnknown = UNKNOWN.test(String(code)) || CONNECTION_LOST.test(message) || NOT_ANSWERED.test(message);
  if (isUnknown) return unavailable(outcome ?? 'UNKNOWN');
  return undefined;
}

const PAUSE_MS = 50;

/** Retries idempotent work until its outcome is known, or the deadline has passed. */
export async function retryUntilKnown<T>(work: () => Promise<T>): Promise<T> {
  let isUnknown = false;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const refusal = refusalOf(error);
      const outcome = refusal?.details.outcome;
      isUnknown ||= outcome === 'UNKNOWN';
      const isInVain = refusal?.reason === 'DATABASE_FULL'; // nobody makes room within a request
      if (!outcome || isInVain || isLate()) throw isUnknown && outcome ? unavailable('UNKNOWN') : error;
      await delay(PAUSE_MS);
    }
  }
}

const RETRIES = 3;

/** Retries work that the server rolled back as a whole, for a transient reason. */
export async function retryCollisions<T>(work: () => Promise<T>): Promise<T> {
  for (let retry = 1; ; retry += 1) {
    try {
      return await work();
    } catch (error) {
      const isOver = retry > RETRIES || isLate();
      if (isOver || !isCollision(error)) throw error;
      await delay(Math.random() * 2 ** retry * 10); // jitter, so that they do not collide again
    }
  }
}
