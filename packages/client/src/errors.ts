/** What became of a change whose request failed. */
export type Outcome = 'NOT_APPLIED' | 'UNKNOWN' | 'APPLIED';

export interface FaultyField {
  name: string;
  message: string;
}

interface Details {
  code?: string | undefined;
  reason?: string | undefined;
  outcome?: Outcome | undefined;
  retryAfter?: number | undefined;
  fields?: readonly FaultyField[] | undefined;
  cause?: unknown;
}

/** The same request may succeed later. */
const PASSING = [
  'NO_ANSWER',
  'TOO_MANY_ATTEMPTS',
  'OVERLOADED',
  'DATABASE_AWAY',
  'DATABASE_FULL',
  'INTERNAL',
];

export const isPassingReason = (reason: string): boolean => PASSING.includes(reason);

const ENDED = ['TOKEN_INVALID', 'TOKEN_MISSING'];

/** The token is worth nothing any more. */
export const isTokenReason = (reason: string): boolean => ENDED.includes(reason);

/** A "no" of the service, or no answer at all. */
export class SteadyError extends Error {
  override readonly name = 'SteadyError';
  /** Why: docs/errors.md has them all; `NO_ANSWER` where nothing was answered that the service could have said. */
  readonly reason: string;
  readonly code: string | null;
  readonly outcome: Outcome | null;
  /** In seconds. */
  readonly retryAfter: number | null;
  /** The inputs at fault. */
  readonly fields: readonly FaultyField[];

  constructor(message: string, { code, reason, outcome, retryAfter, fields, cause }: Details = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.reason = reason ?? 'NO_ANSWER';
    this.code = code ?? null;
    this.outcome = outcome ?? null;
    this.retryAfter = retryAfter ?? null;
    this.fields = fields ?? [];
  }

  /** The same request may succeed later. One whose `outcome` is `APPLIED` is done: only its answer may be read again. */
  get isPassing(): boolean {
    return this.outcome === 'APPLIED' || isPassingReason(this.reason);
  }
}

export const noAnswer = (message: string, cause?: unknown): SteadyError =>
  new SteadyError(message, { outcome: 'UNKNOWN', cause });

/** As GraphQL says it. */
export interface AnsweredError {
  message: string;
  extensions?: Omit<Details, 'cause'>;
}

/** Without a reason it is not the service that speaks, but something in front of it. */
export function errorOf({ message, extensions = {} }: AnsweredError): SteadyError {
  return extensions.reason ? new SteadyError(message, extensions) : noAnswer(message);
}
