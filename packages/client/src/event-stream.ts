import { type Connection, dataIn, type TypedDocument, textOf } from './connection.js';
import { type AnsweredError, errorOf, noAnswer, type SteadyError } from './errors.js';
import type { LiveConnection } from './live.js';

/** In milliseconds: the service gives a sign of life more often. */
const SILENCE = 45_000;

interface Subscriber {
  variables: object;
  /** It is in force: what happens from now on arrives. */
  opened: () => void;
  next: (data: unknown) => void;
  /** Without an error, the service has ended it in order. */
  ended: (error?: SteadyError) => void;
}

/** What a browser's EventSource does, which can send neither a token nor a body. */
export function subscribe(
  connection: Connection,
  document: TypedDocument<unknown, never>,
  { variables, opened, next, ended }: Subscriber,
): LiveConnection {
  const leaving = new AbortController();
  let isEnded = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = (error?: SteadyError) => {
    if (isEnded) return;
    isEnded = true;
    clearTimeout(timer);
    leaving.abort();
    ended(error);
  };
  const wait = (patience: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => end(noAnswer('The stream is silent')), patience);
  };
  const read = async () => {
    const response = await connection.request('/graphql', {
      method: 'POST',
      headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify({ query: textOf(document), variables }),
      patience: null,
      signal: leaving.signal,
    });
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
    if (!isStream || !response.body) {
      await dataIn(response);
      throw noAnswer('What was answered is no stream');
    }
    opened();
    for await (const event of eventsIn(response.body, () => wait(SILENCE))) {
      const { name, data = '' } = /^event: (?<name>\w+)\ndata: ?(?<data>.*)$/.exec(event)?.groups ?? {};
      if (name === 'complete') return end();
      if (name === 'next') {
        const { data: told, errors }: { data?: unknown; errors?: AnsweredError[] } = JSON.parse(data);
        const [error] = errors ?? [];
        if (error) throw errorOf(error);
        if (!isEnded) next(told);
      }
    }
    throw noAnswer('The stream broke off');
  };
  wait(SILENCE);
  read().catch((error) => end(error.reason ? error : noAnswer(String(error), error)));
  return { end, probe: () => end(noAnswer('What looks open may be dead')) };
}

async function* eventsIn(stream: ReadableStream<Uint8Array>, arrived: () => void) {
  let text = '';
  const decoder = new TextDecoder();
  const reader = stream.getReader(); // Safari cannot iterate over a stream
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    arrived();
    const events = (text + decoder.decode(value, { stream: true })).split('\n\n');
    text = events.pop() ?? '';
    yield* events;
  }
}
