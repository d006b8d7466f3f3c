import type { IncomingMessage, OutgoingHttpHeader, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { callers } from './caller.js';
import { isWelcome } from './cors.js';
import { unavailable } from './errors.js';
import type { Handler } from './http-server.js';
import { hasBody, holdPlace } from './json-body.js';

/** More at a time would wait for a connection to the database, or be refused there at ten times the cost. */
const AT_WORK = 100;

/** In milliseconds: by then whatever a client has left behind has come to its end. */
const LONGEST_WORK = 5_000;

/** How many requests of a connection may wait for the answer to an earlier one. */
const LONGEST_LINE = 100;

/** In milliseconds: whoever has waited longer would be answered too late. */
const LONGEST_WAIT = 2_500;

/** In bytes: what is read of a refused request, so that its connection can be used again. */
const SMALL_BODY = 65_536;

/**
 * Refuses what comes while `limit` requests are inside, before anything is made of it: a no that costs as much
 * as a yes would leave no time for those. Pages of `origins` may read it.
 */
export function admission(handler: Handler, limit: number, origins: readonly string[] = []): Handler {
  let inside = 0;
  let atWork = 0;
  const turns = new Turns(() => atWork < AT_WORK);
  const moved = (from: State, to: State) => {
    inside += Number(isInside(to)) - Number(isInside(from));
    atWork += Number(to === 'atWork') - Number(from === 'atWork');
    turns.goOn();
  };
  const enter: Handler = (request, response, next) => {
    if (inside >= limit) return refuse(request, response, origins);
    const move = follow(response, moved);
    const begin = (work: () => void) => {
      const cameAt = performance.now();
      turns.take(() => {
        if (request.socket.destroyed) return void response.end();
        if (performance.now() - cameAt > LONGEST_WAIT) return refuse(request, response, origins);
        move('atWork');
        work();
      });
    };
    holdPlace(request, {
      leave: () => move('outside'),
      comeBack: (goOn) => {
        if (inside >= limit) return refuse(request, response, origins);
        move('waiting');
        begin(goOn);
      },
    });
    if (request.complete || !hasBody(request)) move('waiting');
    begin(() => callers.run(request.socket, handler, request, response, next));
  };
  const ask: Handler = (request, response, next) => {
    if (inside >= limit) refuse(request, response, origins);
    else if (!hasBody(request)) enter(request, response, next);
    else setImmediate(enter, request, response, next); // when it shows whether the body has come along
  };
  const inOrder = oneByOne(ask, (request, response) => refuse(request, response, origins));
  return (request, response, next) => {
    if (costsNothing(request)) handler(request, response, next);
    else inOrder(request, response, next);
  };
}

/**
 * Clients may send requests before the earlier ones are answered, but are answered in order. So each connection
 * has one place only, or a few of them would take all.
 */
function oneByOne(handler: Handler, refuse: RequestListener): Handler {
  const lines = new WeakMap<Socket, { last: ServerResponse; waiting: number }>();
  return (request, response, next) => {
    const line = lines.get(request.socket);
    if (!line || line.last.closed) {
      lines.set(request.socket, { last: response, waiting: 0 });
      handler(request, response, next);
    } else if (line.waiting >= LONGEST_LINE) {
      refuse(request, response);
    } else {
      const cameAt = performance.now();
      line.last.once('close', () => {
        line.waiting -= 1;
        if (performance.now() - cameAt > LONGEST_WAIT) refuse(request, response);
        else handler(request, response, next);
      });
      line.last = response;
      line.waiting += 1;
    }
  };
}

/**
 * One request begins in each turn of the event loop. That takes much longer than to refuse one, to answer about
 * health or to accept a connection, and many in one turn would keep those waiting.
 */
class Turns {
  private readonly waiting: (() => void)[] = [];
  private isDue = false;

  constructor(private readonly mayBegin: () => boolean) {}

  take(work: () => void): void {
    this.waiting.push(work);
    this.goOn();
  }

  goOn(): void {
    if (this.isDue || this.waiting.length === 0 || !this.mayBegin()) return;
    this.isDue = true;
    setImmediate(() => {
      this.isDue = false;
      if (this.mayBegin()) this.waiting.shift()?.();
      this.goOn();
    });
  }
}

type State = 'outside' | 'waiting' | 'atWork' | 'done';

const isInside = (state: State) => state === 'waiting' || state === 'atWork';

/**
 * A request has its place from when it has arrived until its answer begins: whoever sends slowly, reads slowly
 * or subscribes keeps nobody out.
 */
function follow(response: ServerResponse, moved: (from: State, to: State) => void): (to: State) => void {
  let state: State = 'outside';
  const move = (to: State) => {
    if (state === 'done' || state === to) return;
    const from = state;
    state = to;
    moved(from, to);
  };
  whenAnswered(response, () => move('done'));
  // What a client leaves behind still takes its place.
  response.once('close', () => {
    if (state !== 'done') setTimeout(move, LONGEST_WORK, 'done').unref();
  });
  return move;
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

/** Questions about health, and those that browsers ask beforehand. */
const costsNothing = ({ url = '', method }: IncomingMessage) =>
  /^\/health\//i.test(url) || method === 'OPTIONS';

const isGraphql = ({ url = '' }: IncomingMessage) => /^\/graphql\b/i.test(url);

const { message, details } = unavailable('NOT_APPLIED');
const extensions = { code: 'SERVICE_UNAVAILABLE', ...details };

// As text: Node sends it in one piece with the head.
const restRefusal = JSON.stringify({ error: message });
const graphqlRefusal = JSON.stringify({ errors: [{ message, extensions }] });

function refuse(request: IncomingMessage, response: ServerResponse, origins: readonly string[]): void {
  const { headers } = request;
  const body = isGraphql(request) ? graphqlRefusal : restRefusal;
  const head: Record<string, OutgoingHttpHeader> = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': body.length,
    'Cache-Control': 'no-store',
    'Retry-After': details.retryAfter ?? 1,
  };
  const isSmall = !('transfer-encoding' in headers) && Number(headers['content-length'] ?? 0) <= SMALL_BODY;
  if (!isSmall) head.Connection = 'close';
  if (headers.origin !== undefined && isWelcome(request, origins)) {
    head['Access-Control-Allow-Origin'] = headers.origin;
    head['Access-Control-Expose-Headers'] = 'Retry-After';
  }
  response.writeHead(503, head);
  response.end(body);
}
