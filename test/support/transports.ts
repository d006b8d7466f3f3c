import { CloseCode, createClient } from 'graphql-ws';
import WebSocket from 'ws';
import type { Result } from './live.js';

export interface Asking {
  query: string;
  variables?: Record<string, unknown>;
  /** Whatever stands in for a token, good or bad. */
  authorization?: string;
  headers?: Record<string, string>;
}

export type Ask<What = Asking> = (base: string, asking: What) => Promise<Result>;

/** The parameters of a connection may be anything, not only text. */
type AskingInJson = Omit<Asking, 'authorization'> & { authorization?: unknown };

const post: Ask = async (base, { query, variables, authorization, headers }) => {
  const response = await fetch(`${base}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(authorization !== undefined && { authorization }),
      ...headers,
    },
    body: JSON.stringify({ query, variables }),
  });
  const text = await response.text();
  return JSON.parse(/^event: next\ndata: (.*)$/m.exec(text)?.[1] ?? text);
};

const overEvents: Ask = (base, { headers, ...asking }) =>
  post(base, { ...asking, headers: { ...headers, accept: 'text/event-stream' } });

/** A WebSocket has no error for a bad token: it is closed with a code. */
const TOKEN_BAD = {
  message: 'User not authenticated',
  extensions: { code: 'UNAUTHENTICATED', reason: 'TOKEN_INVALID' },
};

export const overWebSocket: Ask<AskingInJson> = async (
  base,
  { query, variables, authorization, headers = {} },
) => {
  class WithHeaders extends WebSocket {
    constructor(url: string, protocols: string) {
      super(url, protocols, { headers });
    }
  }
  const client = createClient({
    url: `${base.replace('http', 'ws')}/graphql`,
    webSocketImpl: WithHeaders,
    connectionParams: { authorization },
    retryAttempts: 0,
  });
  try {
    for await (const result of client.iterate({ query, variables })) return result;
  } catch (errors) {
    const isTokenBad = (errors as { code?: unknown }).code === CloseCode.Unauthorized;
    return { errors: isTokenBad ? [TOKEN_BAD] : errors };
  } finally {
    await client.dispose();
  }
};

/** The ways a GraphQL operation can take. */
export const transports: [name: string, ask: Ask][] = [
  ['HTTP', post],
  ['an event stream', overEvents],
  ['a WebSocket', overWebSocket],
];
