interface Explained {
  /** The codes of GraphQL that it comes with. */
  codes: string[];
  meaning: string;
  /** What a client should do. */
  advice: string;
}

const INVALID_CODES = [
  'BAD_USER_INPUT',
  'BAD_REQUEST',
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
  'PERSISTED_QUERY_NOT_FOUND',
  'PERSISTED_QUERY_NOT_SUPPORTED',
  'DOCUMENT_NOT_TRUSTED',
];

/** Why it is a "no", for programs: a closed set, which clients act on. docs/errors.md is made from it. */
export const reasons = {
  TOKEN_MISSING: {
    codes: ['UNAUTHENTICATED'],
    meaning: 'No token came with the request.',
    advice: 'Ask the person to log in or to sign up.',
  },
  TOKEN_INVALID: {
    codes: ['UNAUTHENTICATED'],
    meaning: 'The token is none of ours, has expired, or its account is gone.',
    advice: 'Forget the token, and ask the person to log in.',
  },
  INVALID_CREDENTIALS: {
    codes: ['UNAUTHENTICATED'],
    meaning: 'The e-mail address or the password is wrong.',
    advice: 'Let the person try again.',
  },
  EMAIL_TAKEN: {
    codes: ['BAD_USER_INPUT'],
    meaning: 'Another account has this e-mail address.',
    advice: 'Offer to log in instead.',
  },
  SIGN_UP_CLOSED: {
    codes: ['FORBIDDEN'],
    meaning: 'The operator of this service makes the accounts (`SIGN_UP=closed`).',
    advice: 'Show the log-in only, and send people to the operator.',
  },
  MAIL_UNAVAILABLE: {
    codes: ['BAD_USER_INPUT'],
    meaning: 'This service sends no mail (`SMTP_URL` is not set).',
    advice: 'Send people to the operator, who can print a link to choose a new password.',
  },
  RESET_INVALID: {
    codes: ['BAD_USER_INPUT'],
    meaning:
      'The link was used, has expired, was replaced by a newer one, or is none of ours. With the `outcome` `APPLIED`, it has confirmed the address before.',
    advice: 'Say so, and offer to send another one.',
  },
  LAST_WAY_IN: {
    codes: ['BAD_USER_INPUT'],
    meaning: 'The log-in is the only way into the account, which has no password.',
    advice: 'Offer to set a password first, with `updateProfile`.',
  },
  PROVIDER_UNAVAILABLE: {
    codes: ['BAD_USER_INPUT'],
    meaning: 'This service has no provider to log in with (`OIDC_ISSUER` is not set).',
    advice: 'Offer only the providers that `signInService` names.',
  },
  ACCOUNT_IN_USE: {
    codes: ['BAD_USER_INPUT'],
    meaning: 'The account has tasks, and a file is imported only into an account without any.',
    advice: 'Offer to import it into a new account.',
  },
  TASK_OF_ANOTHER: {
    codes: ['BAD_USER_INPUT'],
    meaning: 'The task belongs to another user.',
    advice: 'Drop the task from what you keep, and read the list again.',
  },
  TASK_ARCHIVED: {
    codes: ['BAD_USER_INPUT'],
    meaning: 'The task is archived.',
    advice: 'Offer to restore it.',
  },
  CHALLENGE_ACTIVE: {
    codes: ['BAD_USER_INPUT'],
    meaning: 'The user has an active challenge already.',
    advice: 'Show that challenge, and offer to end it.',
  },
  CHALLENGE_ENDED: {
    codes: ['BAD_USER_INPUT'],
    meaning: 'The challenge has ended in the other way.',
    advice: 'Read the challenge again.',
  },
  NO_ACTIVE_CHALLENGE: {
    codes: ['BAD_USER_INPUT'],
    meaning: 'The task names a challenge that the user has not accepted.',
    advice: 'Leave the challenge out, or have it accepted first.',
  },
  KEY_REUSED: {
    codes: ['BAD_USER_INPUT'],
    meaning:
      'The idempotency key was used for another task or amount, or to create a task from another input; the message says what differs.',
    advice: 'It is a fault of the client: make one key for each tap, and for each new task.',
  },
  HAS_HISTORY: {
    codes: ['BAD_USER_INPUT'],
    meaning: 'The task has completions: a goal cannot become a limit any more, nor a limit a goal.',
    advice: 'Offer to make a new task, and to archive this one.',
  },
  DAY_OVER: {
    codes: ['BAD_USER_INPUT'],
    meaning: 'The completion lies longer ago than `BACKDATE_HOURS` allows, and can no longer be changed.',
    advice: 'Take the button away.',
  },
  IN_FUTURE: {
    codes: ['BAD_USER_INPUT'],
    meaning: '`at` is more than five minutes ahead of the clock of the service, which the message tells.',
    advice: 'Compare the clocks, correct `at` by the difference, and send it again.',
  },
  TOO_LATE: {
    codes: ['BAD_USER_INPUT'],
    meaning: '`at` is longer ago than `BACKDATE_HOURS` allows.',
    advice: 'Ask the person whether it should count for now, and send it without `at`.',
  },
  PAUSED: {
    codes: ['BAD_USER_INPUT'],
    meaning: 'The days overlap with another pause of the same thing.',
    advice: 'Show that pause, and offer to change it.',
  },
  DAY_AHEAD: {
    codes: ['BAD_USER_INPUT'],
    meaning: 'The day lies too far ahead.',
    advice: 'Ask for an earlier day.',
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
  CHANNEL_UNAVAILABLE: {
    codes: ['BAD_USER_INPUT'],
    meaning: 'This service cannot send messages that way: its operator has not set it up.',
    advice: 'Offer only what `reminderService` names.',
  },
  TOO_MANY: {
    codes: ['BAD_USER_INPUT'],
    meaning: 'The limit of how many you can have is reached; the message tells of what, such as tasks.',
    advice: 'Show what there is, and offer to remove some.',
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
} satisfies Record<string, Explained>;

export type Reason = keyof typeof reasons;

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
