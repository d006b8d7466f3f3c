import type { Reason } from './reasons.js';

export type RefusalKind =
  | 'unauthenticated'
  | 'forbidden'
  | 'invalid'
  | 'missing'
  | 'throttled'
  | 'tooMuch'
  | 'unavailable';

/** What became of the changes of a request. */
export type Outcome = 'NOT_APPLIED' | 'UNKNOWN' | 'APPLIED';

interface RefusalDetails {
  /** Messages by field, under the names that services use. */
  fields?: Record<string, string>;
  /** In seconds: when a retry makes sense. */
  retryAfter?: number;
  /** Whether the request may have been applied all the same. */
  outcome?: Outcome;
  /** For `tooMuch`: the limit that was exceeded. */
  size?: { limit: string; maximum: number; actual: number };
}

/** A "no" that the caller may read. Any other error is a fault of ours and goes to the log only. */
export class Refusal extends Error {
  constructor(
    readonly kind: RefusalKind,
    readonly reason: Reason,
    message: string,
    readonly details: RefusalDetails = {},
  ) {
    super(message);
  }
}

export const unauthenticated = (message = 'User not authenticated', reason: Reason = 'TOKEN_INVALID') =>
  new Refusal('unauthenticated', reason, message);

export const forbidden = (message: string, reason: Reason) => new Refusal('forbidden', reason, message);

export const invalid = (message: string, field?: string, reason: Reason = 'INVALID_INPUT') =>
  new Refusal('invalid', reason, message, field ? { fields: { [field]: message } } : {});

/** The database came from a server that knows more zones. To guess another would write down wrong days. */
export const zoneUnknown = () =>
  invalid('The server does not know the time zone of your account: set another', 'timeZone');

export const missing = (what: string) => new Refusal('missing', 'NOT_FOUND', `${what} not found`);

export const throttled = (retryAfter: number) =>
  new Refusal('throttled', 'TOO_MANY_ATTEMPTS', 'Too many failed log-ins, try again later', { retryAfter });

/** A request that has `changed` something gets the outcome UNKNOWN, so that nobody believes that nothing was done. */
export const tooMuch = (maximum: number, actual: number, changed = false) =>
  new Refusal(
    'tooMuch',
    'TOO_COMPLEX',
    `The request reads too much, more than ${maximum} bytes: ask for fewer rows or days at a time`,
    { size: { limit: 'bytes read', maximum, actual }, ...(changed && { outcome: 'UNKNOWN' }) },
  );

const UNAVAILABLE: Record<Outcome, string> = {
  NOT_APPLIED: 'Service unavailable, nothing was changed',
  UNKNOWN: 'The outcome is unknown',
  APPLIED: 'The change was made, but not all of the answer could be read',
};

export const unavailable = (outcome: Outcome, reason: Reason = 'DATABASE_AWAY') =>
  new Refusal('unavailable', reason, UNAVAILABLE[outcome], { retryAfter: 1, outcome });

/** More than the service, or this process, can do at a time. */
export const overloaded = () => unavailable('NOT_APPLIED', 'OVERLOADED');

/** More than one client may do at a time. */
export const tooManyAtOnce = (message: string) => new Refusal('throttled', 'TOO_MANY_ATTEMPTS', message);

/**
 * Runs `work` for a user. If it returns nothing, or refuses with `missing` or `invalid`, the reason may be that the
 * account is gone while its token is still valid. Only then is `assertExists` called, which refuses in that case.
 */
export async function unlessGone<T>(
  work: () => T | Promise<T>,
  assertExists: () => Promise<void>,
): Promise<T> {
  let answer: T;
  try {
    answer = await work();
  } catch (error) {
    const kind = error instanceof Refusal ? error.kind : undefined;
    if (kind === 'missing') await assertExists();
    if (kind === 'invalid') await refusalsOnly(assertExists());
    throw error;
  }
  if (isNothing(answer)) await assertExists();
  return answer;
}

/**
 * Ignores failures of the database: an invalid input gets its refusal even when the check of the account cannot be
 * made.
 */
export const refusalsOnly = (refusing: Promise<void>): Promise<void> =>
  refusing.catch((error: unknown) => {
    if (error instanceof Refusal) throw error;
  });

const isNothing = (answer: unknown) =>
  answer === null || answer === undefined || (Array.isArray(answer) && answer.length === 0);
