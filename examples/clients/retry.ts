import type { GraphQLClient } from 'graphql-request';
import { complete } from './graphql-request.ts';

/** One tap is one key, however often it is sent: the service counts it once. */
export function tap(client: GraphQLClient, taskId: string) {
  const key = crypto.randomUUID();
  return untilAnswered(() => complete(client, taskId, key));
}

interface Patience {
  attempts?: number;
  /** In seconds: who must wait longer is told so instead. */
  longestWait?: number;
}

/** For queries, and for mutations that may arrive twice: those with a key, and those that set what they say. */
export async function untilAnswered<Answer>(
  ask: () => Promise<Answer>,
  { attempts = 8, longestWait = 30 }: Patience = {},
): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      const { code, retryAfter = 0 } = refusalIn(error);
      const mayHelp = code === undefined || PASSING.includes(code);
      const seconds = retryAfter + Math.random() * 2 ** (attempt - 2);
      if (!mayHelp || attempt === attempts || seconds > longestWait) throw error;
      await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    }
  }
}

/** Of all refusals, those that the same request may not meet again. Without a code, no answer came at all. */
const PASSING = ['SERVICE_UNAVAILABLE', 'TOO_MANY_REQUESTS', 'INTERNAL_SERVER_ERROR'];

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
