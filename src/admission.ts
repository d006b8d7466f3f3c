import type { IncomingMessage, OutgoingHttpHeader, ServerResponse } from 'node:http';
import { callers } from './caller.js';
import { unavailable } from './errors.js';
import type { Handler } from './http-server.js';
import { hasBody } from './json-body.js';

/** In milliseconds: by then whatever a client has left behind has come to its end. */
const LONGEST_WORK = 5_000;

/** In bytes: what is read of a refused request, so that its connection can be used again. */
const SMALL_BODY = 65_536;

type Count = (change: 1 | -1) => void;

/**
 * Refuses what comes while `limit` requests are in progress, before anything is made of it: a no that costs
 * as much as a yes would leave no time for those who are inside.
 */
export function admission(handler: Handler, limit: number): Handler {
  let inside = 0;
  const count: Count = (change) => {
    inside += change;
  };
  return (request, response, next) => {
    if (isAboutHealth(request)) return handler(request, response, next);
    if (inside >= limit) return refuse(request, response);
    follow(request, response, count);
    callers.run(request.socket, handler, request, response, next);
  };
}

/**
 * A request has its place from when it has arrived until its answer begins: whoever sends slowly, reads slowly
 * or subscribes keeps nobody out.
 */
function follow(request: IncomingMessage, response: ServerResponse, count: Count): void {
  let state: 'outside' | 'inside' | 'done' = 'outside';
  const move = (to: typeof state) => {
    if (state === 'done' || state === to) return;
    if (to === 'inside') count(1);
    if (state === 'inside') count(-1);
    state = to;
  };
  if (hasBody(request)) request.once('end', () => move('inside'));
  else move('inside');
  whenAnswered(response, () => move('done'));
  // What a client leaves behind still takes its place.
  response.once('close', () => {
    if (state !== 'done') setTimeout(move, LONGEST_WORK, 'done').unref();
  });
}

/** Express changes the prototype of a response, so its methods can only be replaced on the response itself. */
function whenAnswered(response: ServerResponse, begins: () => void): void {
  const { writeHead, end } = response;
  response.writeHead = (...head: unknown[]) => {
    begins();
    return Reflect.apply(writeHead, response, head);
  };
  // When the client has gone, nothing is written, not even a head.
  response.end = (...rest: unknown[]) => {
    begins();
    return Reflect.apply(end, response, rest);
  };
}

const isAboutHealth = ({ url = '' }: IncomingMessage) => /^\/health\//i.test(url);
const isGraphql = ({ url = '' }: IncomingMessage) => /^\/graphql\b/i.test(url);

const { message, details } = unavailable('NOT_APPLIED');
const extensions = { code: 'SERVICE_UNAVAILABLE', ...details };

const restRefusal = Buffer.from(JSON.stringify({ error: message }));
const graphqlRefusal = Buffer.from(JSON.stringify({ errors: [{ message, extensions }] }));

function refuse(request: IncomingMessage, response: ServerResponse): void {
  const body = isGraphql(request) ? graphqlRefusal : restRefusal;
  const { headers } = request;
  const isSmall = !('transfer-encoding' in headers) && Number(headers['content-length'] ?? 0) <= SMALL_BODY;
  const head: Record<string, OutgoingHttpHeader> = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': body.length,
    'Cache-Control': 'no-store',
    'Retry-After': details.retryAfter ?? 1,
  };
  if (!isSmall) head.Connection = 'close';
  response.writeHead(503, head);
  response.end(body);
}
