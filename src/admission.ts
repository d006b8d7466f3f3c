import type { IncomingMessage, OutgoingHttpHeader, ServerResponse } from 'node:http';
import { callers } from './caller.js';
import { isWelcome } from './cors.js';
import { unavailable } from './errors.js';
import type { Handler } from './http-server.js';
import { hasBody, holdPlace } from './json-body.js';
import { LONGEST_WAIT, oneByOne } from './pipelining.js';
import { Receiving, stopReading } from './receiving.js';

/** More at a time would wait for a connection to the database, or be refused there at ten times the cost. */
const AT_WORK = 100;

/** In milliseconds: by then whatever a client has left behind has come to its end. */
const LONGEST_WORK = 5_000;

/** In bytes: what is read of a refused request, so that its connection can be used again. */
const SMALL_BODY = 65_536;

/**
 * Refuses what comes while `limit` requests are inside, before anything is made of it: a no that costs as much
 * as a yes would leave no time for those. Pages of `origins` may read it.
 */
export function admission(
  handler: Handler,
  limit: number,
  origins: readonly string[] = [],
  receiving = new Receiving(),
): Handler {
  const door = new Door(handler, limit, origins, receiving);
  return oneByOne({
    serve: (request, response, next) => door.ask(request, response, next),
    refuse: (request, response) => refuse(request, response, origins),
    isPatient: costsNothing,
  });
}

class Door {
  private inside = 0;
  private atWork = 0;
  /** Wait for their turn while their bodies are still on the way. */
  private arriving = 0;
  private readonly turns = new Turns(() => this.atWork < AT_WORK);

  constructor(
    private readonly handler: Handler,
    private readonly limit: number,
    private readonly origins: readonly string[],
    private readonly receiving: Receiving,
  ) {}

  ask(...[request, response, next]: Parameters<Handler>): void {
    if (costsNothing(request) && !isChunked(request)) this.handler(request, response, next);
    else if (this.isFull) refuse(request, response, this.origins);
    else if (!hasBody(request)) this.enter(request, response, next);
    else {
      const readOn = isChunked(request) ? stopChunks(request, response) : undefined;
      setImmediate(() => {
        this.enter(request, response, next); // now it shows whether the body has come along
        readOn?.();
      });
    }
  }

  private get isFull(): boolean {
    return this.inside >= this.limit;
  }

  private enter(...[request, response, next]: Parameters<Handler>): void {
    if (this.isFull) {
      refuse(request, response, this.origins);
      return;
    }
    const move = follow(response, (from, to) => this.moved(from, to));
    const work = () => callers.run(request.socket, this.handler, request, response, next);
    if (request.complete || !hasBody(request)) {
      move('waiting');
      this.begin(request, response, { move, work });
    } else if (this.arriving < this.limit) this.receive(request, response, { move, work });
    else refuse(request, response, this.origins);
  }

  /** Begins while the body is on the way; it is `jsonBody` that leaves the place for that time. */
  private receive(request: IncomingMessage, response: ServerResponse, { move, work }: Visit): void {
    this.arriving += 1;
    const hold = this.receiving.follow(() => refuse(request, response, this.origins, true));
    response.once('close', () => hold(0));
    holdPlace(request, {
      leave: () => move('outside'),
      hold,
      comeBack: (goOn) => {
        if (response.headersSent) return;
        if (this.isFull) return refuse(request, response, this.origins);
        move('waiting');
        this.begin(request, response, { move, work: goOn });
      },
    });
    const readOn = stopReading(request.socket);
    this.begin(request, response, { move, work }, () => {
      this.arriving -= 1;
      readOn();
    });
  }

  private begin(
    request: IncomingMessage,
    response: ServerResponse,
    { move, work }: Visit,
    whenCalled = () => {},
  ): void {
    const cameAt = performance.now();
    this.turns.take(() => {
      whenCalled();
      if (request.socket.destroyed || response.headersSent) return void response.end();
      if (performance.now() - cameAt > LONGEST_WAIT) return refuse(request, response, this.origins);
      move('atWork');
      work();
    });
  }

  private moved(from: State, to: State): void {
    this.inside += Number(isInside(to)) - Number(isInside(from));
    this.atWork += Number(to === 'atWork') - Number(from === 'atWork');
    this.turns.goOn();
  }
}

/** Of a request that was let in. */
interface Visit {
  move: (to: State) => void;
  work: () => void;
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

/**
 * One read may bring ten thousand chunks, and Node reads thirty times in a row. So they are read while they are
 * counted, in `jsonBody`, and not after the answer.
 */
function stopChunks(request: IncomingMessage, response: ServerResponse): () => void {
  whenAnswered(response, () => {
    if (request.complete || response.headersSent) return;
    stopReading(request.socket);
    response.setHeader('Connection', 'close');
  });
  return stopReading(request.socket);
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

const isChunked = ({ headers }: IncomingMessage) => 'transfer-encoding' in headers;

const isSmall = (request: IncomingMessage) =>
  !isChunked(request) && Number(request.headers['content-length'] ?? 0) <= SMALL_BODY;

function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  origins: readonly string[],
  closes = !isSmall(request),
): void {
  const { headers } = request;
  const body = isGraphql(request) ? graphqlRefusal : restRefusal;
  const head: Record<string, OutgoingHttpHeader> = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': body.length,
    'Cache-Control': 'no-store',
    'Retry-After': details.retryAfter ?? 1,
  };
  if (closes) head.Connection = 'close';
  if (headers.origin !== undefined && isWelcome(request, origins)) {
    head['Access-Control-Allow-Origin'] = headers.origin;
    head['Access-Control-Expose-Headers'] = 'Retry-After';
  }
  response.writeHead(503, head);
  response.end(body);
}
