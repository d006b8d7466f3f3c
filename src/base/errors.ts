export interface Explained {
  /** The codes of GraphQL that it comes with. */
  codes: string[];
  meaning: string;
  /** What a client should do. */
  advice: string;
  /** GraphQL says something else instead. */
  isOfRest?: boolean;
}

const INVALID_CODES = [
  'BAD_USER_INPUT',
  'BAD_REQUEST',
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
  'PERSISTED_QUERY_NOT_FOUND',
  'PERSISTED_QUERY_NOT_SUPPORTED',
];

export type ReasonTable = Record<string, Explained>;

/** Those of every service. */
export const commonReasons = {
  TOKEN_MISSING: {
    codes: ['UNAUTHENTICATED'],
    meaning: 'No token came with the request, or not in the form `Bearer TOKEN`.',
    advice: 'Ask the person to log in or to sign up.',
  },
  TOKEN_INVALID: {
    codes: ['UNAUTHENTICATED'],
    meaning: 'The token is none of ours, has expired, or its account is gone.',
    advice: 'Forget the token, and ask the person to log in.',
  },
  INVALID_INPUT: {
    codes: INVALID_CODES,
    meaning: 'The request or one of its values is not as it must be; `fields` names the values.',
    advice: 'Show the message beside the field. Sending it again unchanged does not help.',
  },
  NOT_FOUND: {
    codes: ['NOT_FOUND'],
    meaning: 'There is no such thing, or it is not yours.',
    advice: 'Drop it from what you keep.',
  },
  TOO_MANY_ATTEMPTS: {
    codes: ['TOO_MANY_REQUESTS'],
    meaning: 'Too many failed log-ins, or more than one client may do at a time.',
    advice: 'Wait `retryAfter` seconds.',
  },
  TOO_COMPLEX: {
    codes: ['QUERY_TOO_COMPLEX'],
    meaning: 'The operation or its answer is over a limit, which `limit` names.',
    advice: 'Ask for fewer fields, rows or days at a time.',
  },
  OVERLOADED: {
    codes: ['SERVICE_UNAVAILABLE'],
    meaning: 'The service has more to do than it can; `outcome` says whether something was done.',
    advice: 'Wait `retryAfter` seconds and send it again, longer each time.',
  },
  DATABASE_AWAY: {
    codes: ['SERVICE_UNAVAILABLE'],
    meaning: 'The database cannot be reached or does not answer; `outcome` says whether something was done.',
    advice: 'Send it again: with its idempotency key, where something may have been done.',
  },
  DATABASE_FULL: {
    codes: ['SERVICE_UNAVAILABLE'],
    meaning: 'The disk of the database is full: reads go on, and nothing is recorded.',
    advice: 'Keep what was done, and send it again, longer each time; only the operator can make room.',
  },
  LIMIT_REACHED: {
    codes: ['BAD_USER_INPUT'],
    meaning: 'The limit of how many you can have is reached; the message tells of what, such as tasks.',
    advice: 'Show what there is, and offer to delete some.',
  },
  SCOPE_MISSING: {
    codes: ['FORBIDDEN'],
    meaning: 'The API token lacks a scope, which the message names, or this needs a session.',
    advice: 'Make a token with that scope, or log in.',
  },
  INTERNAL: {
    codes: ['INTERNAL_SERVER_ERROR'],
    meaning: 'A fault of the service, which is in its log.',
    advice: 'Send it again later, with its idempotency key.',
  },
} satisfies ReasonTable;

/** Each feature adds its own. */
// biome-ignore lint/suspicious/noEmptyInterface: features declare what is in it
export interface ReasonsOfFeatures {}

/** Why it is a "no", for programs: a closed set, which clients act on. docs/errors.md is made from all. */
export type Reason = keyof typeof commonReasons | keyof ReasonsOfFeatures;

/** Codes of errors that are no refusal of a service, and not about the request as it came. */
const ofCode: Record<string, Reason> = {
  INTERNAL_SERVER_ERROR: 'INTERNAL',
  QUERY_TOO_COMPLEX: 'TOO_COMPLEX',
};

/** Of an error that no service has refused: with any other code, the request makes no sense. */
export const reasonOfCode = (code: unknown): Reason => ofCode[String(code)] ?? 'INVALID_INPUT';

/** The reason of an error that has nothing but a status of HTTP. */
export const reasonOfStatus = (status: number): Reason =>
  status === 404 ? 'NOT_FOUND' : status === 503 ? 'OVERLOADED' : status >= 500 ? 'INTERNAL' : 'INVALID_INPUT';

export type RefusalKind =
  | 'unauthenticated'
  | 'forbidden'
  | 'invalid'
  | 'missing'
  | 'gone'
  | 'throttled'
  | 'tooMuch'
  | 'unavailable';

/** What became of the changes of a request. */
export type Outcome = 'NOT_APPLIED' | 'UNKNOWN' | 'APPLIED';

/** Of one file. Nobody mends more at a time, and to look for more would cost as much as the file is long. */
export const MOST_FAULTS = 100;

interface RefusalDetails {
  /** Messages by field, under the names that services use. */
  fields?: Record<string, string>;
  /** All that is wrong with a file, each with its place in it; the message is that of the first. */
  faults?: readonly { path: string; message: string }[];
  /** In seconds: when a retry makes sense. */
  retryAfter?: number;
  /** Whether the request may have been applied all the same. */
  outcome?: Outcome;
  /** What GraphQL says instead: where REST, as it is specified, tells that there is something of somebody else. */
  hidden?: Refusal;
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

/** More than an account may have. */
export const limitReached = (message: string, field?: string) => invalid(message, field, 'LIMIT_REACHED');

/** The database came from a server that knows more zones. To guess another would write down wrong days. */
export const zoneUnknown = () =>
  invalid('The server does not know the time zone of your account: set another', 'timeZone');

/** `field` names what is not found, where an input has more than one thing that may be missing. */
export const missing = (what: string, field?: string) => {
  const message = `${what} not found`;
  return new Refusal('missing', 'NOT_FOUND', message, field ? { fields: { [field]: message } } : {});
};

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
export const tooManyAtOnce = (message: string, retryAfter?: number) =>
  new Refusal('throttled', 'TOO_MANY_ATTEMPTS', message, retryAfter === undefined ? {} : { retryAfter });

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
