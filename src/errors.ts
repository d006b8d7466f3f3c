export type RefusalKind = 'unauthenticated' | 'invalid' | 'missing' | 'throttled' | 'tooMuch' | 'unavailable';

interface RefusalDetails {
  /** What is wrong with which input, by the names the core uses. */
  fields?: Record<string, string>;
  /** Seconds after which trying again makes sense. */
  retryAfter?: number;
  /** Of a request that met a failing database: whether it may have been carried out all the same. */
  outcome?: 'NOT_APPLIED' | 'UNKNOWN';
  /** Of a request that asked for too much: which measure it exceeded. */
  size?: { limit: string; maximum: number; actual: number };
}

/** A "no" the caller may read. Anything else thrown is our fault and stays in the log. */
export class Refusal extends Error {
  constructor(
    readonly kind: RefusalKind,
    message: string,
    readonly details: RefusalDetails = {},
  ) {
    super(message);
  }
}

export const unauthenticated = (message = 'User not authenticated') =>
  new Refusal('unauthenticated', message);

export const invalid = (message: string, field?: string) =>
  new Refusal('invalid', message, field ? { fields: { [field]: message } } : {});

export const missing = (what: string) => new Refusal('missing', `${what} not found`);

export const throttled = (retryAfter: number) =>
  new Refusal('throttled', 'Too many failed log-ins, try again later', { retryAfter });

/** Of a request that has `changed` something before, nobody should believe that nothing was done. */
export const tooMuch = (maximum: number, actual: number, changed = false) =>
  new Refusal(
    'tooMuch',
    `The request reads too much, more than ${maximum} bytes: ask for fewer rows or days at a time`,
    { size: { limit: 'bytes read', maximum, actual }, ...(changed && { outcome: 'UNKNOWN' }) },
  );

export const unavailable = (outcome: 'NOT_APPLIED' | 'UNKNOWN') =>
  new Refusal(
    'unavailable',
    outcome === 'UNKNOWN' ? 'The outcome is unknown' : 'Service unavailable, nothing was changed',
    { retryAfter: 1, outcome },
  );

/**
 * Does what a user asks for. Nothing found, missing or invalid may all mean that the account is gone, though its token
 * is still good: only then is `assertExists` asked, which refuses.
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
    if (kind === 'invalid') await ifItCanBeTold(assertExists());
    throw error;
  }
  if (isNothing(answer)) await assertExists();
  return answer;
}

/** What is wrong with an input is wrong whether or not the database can be asked. */
export const ifItCanBeTold = (refusing: Promise<void>): Promise<void> =>
  refusing.catch((error: unknown) => {
    if (error instanceof Refusal) throw error;
  });

const isNothing = (answer: unknown) =>
  answer === null || answer === undefined || (Array.isArray(answer) && answer.length === 0);
