import { print } from 'graphql';
import { PROGRESS } from './documents.ts';
import type { ProgressSubscription } from './gql/graphql.ts';

/**
 * What a browser's EventSource does, which can send neither a token nor a body. Resolves when the subscription is in
 * force: what happens from then on is in the stream. Abort `signal` to leave.
 */
export async function subscribe(service: string, token: string, signal?: AbortSignal) {
  const response = await fetch(`${service}/graphql`, {
    method: 'POST',
    headers: {
      accept: 'text/event-stream',
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ query: print(PROGRESS) }),
    signal: signal ?? null,
  });
  if (!response.ok || !response.body) throw new Error(`Answered with ${response.status}`);
  return progressIn(response.body);
}

/** Returns when the service ends the stream, and throws when it breaks off: subscribe again then, and query. */
async function* progressIn(stream: ReadableStream<Uint8Array>) {
  for await (const event of eventsIn(stream)) {
    const { name, data } = /^event: (?<name>\w+)\ndata: ?(?<data>.*)$/.exec(event)?.groups ?? {};
    if (name === 'complete') return;
    if (name !== 'next') continue; // a sign of life
    const result: { data?: ProgressSubscription; errors?: { message: string }[] } = JSON.parse(data ?? '');
    if (!result.data) throw new Error(result.errors?.[0]?.message);
    yield result.data.progressChanged;
  }
  throw new Error('The stream broke off');
}

async function* eventsIn(stream: ReadableStream<Uint8Array>) {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    const events = (text + decoder.decode(chunk, { stream: true })).split('\n\n');
    text = events.pop() ?? '';
    yield* events;
  }
}
