import { vi } from 'vitest';
import WebSocket from 'ws';
import type { Built } from './fuzz-graphql.js';
import { curlOf, exchange, PATIENCE, type RawAnswer } from './fuzz-http.js';
import { EventStream } from './live.js';

/** What came back: GraphQL results, in order, and how they came. */
export interface Outcome {
  http?: RawAnswer;
  results: unknown[];
  /** The code with which a WebSocket was closed, if it was. */
  closed?: number;
}

/** Makes something happen that subscribers hear of. */
type Stir = () => Promise<void>;

export async function send(base: string, built: Built, stir: Stir): Promise<Outcome> {
  if (built.transport === 'socket') return overSocket(base, built, stir);
  if (built.transport === 'stream') return overStream(base, built, stir);
  const http = await exchange(base, built.request);
  return { http, results: http.text ? [JSON.parse(http.text)] : [] };
}

/** For whoever has to find out what went wrong. */
export function lineOf(base: string, { transport, request, body, frames }: Built): string {
  if (transport === 'stream') return `with Accept: text/event-stream: ${curlOf(base, request)}`;
  if (transport === 'socket') return `over a WebSocket: ${[...frames, body].join(' then ').slice(0, 3_000)}`;
  return curlOf(base, request);
}

/** Resolves once it is done; until then stirs, if that is what it waits for. */
async function until(isDone: () => boolean, stir: Stir | null): Promise<void> {
  const limit = performance.now() + PATIENCE;
  while (!isDone()) {
    if (performance.now() > limit) throw new Error(`No answer within ${PATIENCE} ms`);
    if (stir) await stir();
    await vi.waitUntil(isDone, { timeout: stir ? 50 : PATIENCE, interval: 1 }).catch(() => {});
  }
}

/** What `fetch` takes as the value of a header. */
const latin1 = (text = '') =>
  Buffer.from(text)
    .toString('latin1')
    .replaceAll(/[^\x20-\x7e\x80-\xff]/g, '')
    .trim();

async function overStream(
  base: string,
  { body, authorization, isSubscription }: Built,
  stir: Stir,
): Promise<Outcome> {
  const leave = new AbortController();
  const response = await fetch(`${base}/graphql`, {
    method: 'POST',
    headers: {
      accept: 'text/event-stream',
      'content-type': 'application/json',
      authorization: latin1(authorization),
    },
    body,
    signal: AbortSignal.any([leave.signal, AbortSignal.timeout(2 * PATIENCE)]),
  });
  const headers = new Map(response.headers);
  const http: RawAnswer = { status: response.status, headers, text: '' };
  if (!headers.get('content-type')?.startsWith('text/event-stream')) {
    http.text = await response.text();
    return { http, results: [JSON.parse(http.text)] };
  }
  const stream = new EventStream(response, () => leave.abort());
  const results: unknown[] = [];
  let isAnswered = false;
  const reading = stream.next().then((result) => {
    results.push(...(result === undefined ? [] : [result]));
    isAnswered = true;
  });
  await Promise.all([reading, until(() => isAnswered, isSubscription ? stir : null)]);
  stream.close();
  return { http, results };
}

// biome-ignore lint/suspicious/noExplicitAny: messages of the protocol, and perhaps others
type Frame = any;

async function overSocket(
  base: string,
  { body, authorization, frames, isSubscription }: Built,
  stir: Stir,
): Promise<Outcome> {
  const socket = new WebSocket(`${base.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  const received: Frame[] = [];
  let closed: number | undefined;
  socket.on('message', (message) => received.push(JSON.parse(String(message))));
  socket.on('close', (code) => {
    closed = code;
  });
  socket.on('error', () => {}); // it closes next
  const has = (...types: string[]) =>
    closed !== undefined || received.some(({ type }) => types.includes(type));
  try {
    await until(() => socket.readyState !== socket.CONNECTING, null);
    socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization } }));
    await until(() => has('connection_ack'), null);
    for (const frame of frames) socket.send(frame);
    socket.send(`{"type":"subscribe","id":"fuzz","payload":${body}}`);
    const ofOurs = () => received.filter(({ id }) => id === 'fuzz');
    await until(() => closed !== undefined || ofOurs().length > 0, isSubscription ? stir : null);
    if (!isSubscription)
      await until(() => closed !== undefined || ofOurs().some(({ type }) => type !== 'next'), null);
    received.splice(0, received.length, ...received.filter(({ type }) => type !== 'pong'));
    if (closed === undefined) socket.send('{"type":"ping"}');
    await until(() => has('pong'), null);
    const results = received.flatMap(({ type, payload }) =>
      type === 'next' ? [payload] : type === 'error' ? [{ errors: payload }] : [],
    );
    return { results, closed };
  } finally {
    socket.terminate();
  }
}
