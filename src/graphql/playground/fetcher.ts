import type { Fetcher, FetcherOpts, FetcherParams } from '@graphiql/toolkit';
import { type ExecutionResult, GraphQLError, getOperationAST, parse } from 'graphql';
import { learnIds } from './ids';
import { endpoint } from './place';
import { learnFrom, session } from './session';
import { Shown } from './shown';

/** The state of the last subscription of this window; null before the first one. */
export const live = new Shown<'running' | 'ended' | null>(null);

export const fetcher: Fetcher = (given, { headers } = {}) => {
  const operation = operationIn(given);
  const params = operation ? { ...given, operationName: operation.name?.value } : given;
  return operation?.operation === 'subscription' ? subscribe(params, headers) : run(params, headers);
};

/** GraphiQL names the operation of the tab before when a tab is run as soon as it is chosen. */
function operationIn({ query, operationName }: FetcherParams) {
  try {
    const document = parse(query);
    return getOperationAST(document, operationName) ?? getOperationAST(document);
  } catch {
    return null; // the service says what is wrong
  }
}

async function run(params: FetcherParams, headers: FetcherOpts['headers']): Promise<ExecutionResult> {
  try {
    const result = await json(await post(params, headers, { accept: 'application/json' }));
    learnFrom(result.data);
    learnIds(result.data);
    showAnswer();
    return withHint(result);
  } catch (error) {
    return failure(`No answer. ${error}`);
  }
}

/** Subscriptions use server-sent events: unlike a WebSocket, these requests carry the same headers as the others. */
function subscribe(params: FetcherParams, headers: FetcherOpts['headers']): AsyncIterable<ExecutionResult> {
  const stop = new AbortController();
  const results = read();
  // The generator's own `return` would wait for the next event, and keep the connection open until then.
  return Object.assign(results, {
    return: async () => {
      stop.abort();
      live.set('ended');
      return { done: true as const, value: undefined };
    },
  });

  async function* read(): AsyncGenerator<ExecutionResult, void> {
    try {
      const response = await post(params, headers, { accept: 'text/event-stream' }, stop.signal);
      if (!isOf(response, 'text/event-stream')) return yield await json(response);
      live.set('running');
      yield* events(response);
      live.set('ended');
    } catch (error) {
      if (stop.signal.aborted) return;
      live.set('ended');
      yield failure(`No answer. ${error}`);
    }
  }
}

function post(
  params: FetcherParams,
  typed: FetcherOpts['headers'],
  defaults: Record<string, string>,
  signal?: AbortSignal,
): Promise<Response> {
  const headers = new Headers({ ...defaults, 'content-type': 'application/json' });
  const signedIn = session.get();
  if (signedIn) headers.set('authorization', `Bearer ${signedIn.token}`);
  for (const [name, value] of Object.entries(typed ?? {})) headers.set(name, value);
  return fetch(endpoint, { method: 'POST', headers, body: JSON.stringify(params), signal });
}

async function json(response: Response): Promise<ExecutionResult> {
  if (isOf(response, 'json')) return response.json();
  const text = (await response.text()).slice(0, 500);
  return failure(`HTTP ${response.status}, not from GraphQL: ${text}`);
}

async function* events({ body }: Response): AsyncGenerator<ExecutionResult, void> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
    const blocks = (rest + part.value).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = /^data: *(\{.*)$/m.exec(block)?.[1];
      if (data) yield JSON.parse(data);
    }
  }
}

/** On a phone the answer lies below the editors. */
const showAnswer = () => document.querySelector('.graphiql-response')?.scrollIntoView({ block: 'nearest' });

/** Whoever is new here does not know where tokens come from. */
function withHint(result: ExecutionResult): ExecutionResult {
  const isRefused = result.errors?.some(({ extensions }) => extensions?.code === 'UNAUTHENTICATED');
  if (!isRefused || session.get()) return result;
  return { ...result, extensions: { ...result.extensions, playground: SIGN_IN } };
}

const SIGN_IN = 'You are not signed in: run the tab SignUp, or LogIn if you have been here before.';

// Not thrown, because GraphiQL shows the stack of a thrown error.
const failure = (message: string): ExecutionResult => ({ errors: [new GraphQLError(message)] });

const isOf = (response: Response, type: string) =>
  response.headers.get('content-type')?.includes(type) ?? false;
