import type { GraphQLClient } from 'graphql-request';
// In your project: from 'steady-client'.
import { type Patience, untilAnswered as untilPassed } from '../../packages/client/src/retry.js';
import { complete } from './graphql-request.ts';

/** One tap is one key, however often it is sent: the service counts it once. */
export function tap(client: GraphQLClient, taskId: string) {
  const key = crypto.randomUUID();
  return untilAnswered(() => complete(client, taskId, key));
}

/** For queries, and for mutations that may arrive twice: those with a key, and those that set what they say. */
export const untilAnswered = <Answer>(ask: () => Promise<Answer>, patience: Patience = {}): Promise<Answer> =>
  untilPassed(ask, { judge, ...patience });

/** Of all refusals, those that the same request may not meet again. Without a code, no answer came at all. */
const PASSING = ['SERVICE_UNAVAILABLE', 'TOO_MANY_REQUESTS', 'INTERNAL_SERVER_ERROR'];

function judge(error: unknown) {
  const { code, retryAfter } = refusalIn(error);
  return { isPassing: code === undefined || PASSING.includes(code), retryAfter };
}

interface Refusal {
  code?: string;
  reason?: string;
  /** In seconds. */
  retryAfter?: number;
  /** What became of a change: `NOT_APPLIED`; `UNKNOWN`, where the key is needed; `APPLIED`, where only reading failed. */
  outcome?: string;
}

type Errors = readonly { extensions?: Refusal }[];

/** What the service said, as graphql-request, urql and Apollo Client hand it on. */
export function refusalIn(error: unknown): Refusal {
  const { response, graphQLErrors, errors } = error as {
    response?: { errors?: Errors };
    graphQLErrors?: Errors;
    errors?: Errors;
  };
  const [first] = response?.errors ?? graphQLErrors ?? errors ?? [];
  return first?.extensions ?? {};
}
