import type { IncomingMessage, ServerResponse } from 'node:http';
import { FairLine } from '../fair-line.js';
import { callers } from '../request.js';
import { hasBody, holdPlace } from './body.js';
import { LONGEST_WAIT, oneByOne } from './pipelining.js';
import { PIECE, Receiving, stopReading } from './receiving.js';
import { isChunked, refuse } from './refusal.js';
import type { Handler } from './server.js';

/** More at a time would wait for a connection to the database, or be refused there at ten times the cost. */
const AT_WORK = 100;

/** The same of one user, so that whoever asks for much leaves room for others. */
const AT_WORK_OF_ONE = AT_WORK / 10;

/** In milliseconds: by then whatever a client has left behind has come to its end. */
const LONGEST_WORK = 5_000;

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
  private readonly atWorkOf = new Map<string, number>();
  private readonly turns = new Turns(
    (owner) =>
      this.atWork < AT_WORK && (owner === NOBODY || (this.atWorkOf.get(owner) ?? 0) < AT_WORK_OF_ONE),
  );

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
    const owner = ownerOf(request);
    const move = follow(response, (from, to) => this.moved(owner, from, to));
    const work = () => callers.run(request.socket, this.handler, request, response, next);
    if (request.complete || !hasBody(request)) {
      move('waiting');
      this.begin(request, response, { move, work });
    } else this.receive(request, response, { move, work });
  }

  /** Begins while the body is on the way; it is `jsonBody` that leaves the place for that time. */
  private receive(request: IncomingMessage, response: ServerResponse, { move, work }: Visit): void {
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
    this.begin(request, response, { move, work }, stopReading(request.socket));
    hold(heldBy(request));
  }

  private begin(
    request: IncomingMessage,
    response: ServerResponse,
    { move, work }: Visit,
    whenCalled = () => {},
  ): void {
    const cameAt = performance.now();
    this.turns.take(ownerOf(request), () => {
      whenCalled();
      if (request.socket.destroyed || response.headersSent) return void response.end();
      if (performance.now() - cameAt > LONGEST_WAIT) return refuse(request, response, this.origins);
      move('atWork');
      work();
    });
  }

  private moved(owner: string, from: State, to: State): void {
    this.inside += Number(isInside(to)) - Number(isInside(from));
    const more = Number(to === 'atWork') - Number(from === 'atWork');
    this.atWork += more;
    const ofOwner = (this.atWorkOf.get(owner) ?? 0) + more;
    if (ofOwner > 0) this.atWorkOf.set(owner, ofOwner);
    else this.atWorkOf.delete(owner);
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
  private readonly waiting = new FairLine<{ owner: string; work: () => void }>();
  private isDue = false;

  constructor(private readonly mayBegin: (owner: string) => boolean) {}

  take(owner: string, work: () => void): void {
    this.waiting.add(owner, { owner, work });
    this.goOn();
  }

  goOn(): void {
    if (this.isDue) return;
    this.isDue = true;
    setImmediate(() => {
      this.isDue = false;
      const next = this.waiting.take(({ owner }) => this.mayBegin(owner));
      if (!next) return; // until somebody has ended
      next.work();
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

/** In bytes, of a body that nobody has begun to read. */
function heldBy(request: IncomingMessage): number {
  const { buffer } = (request as unknown as { _readableState: { buffer: unknown[] } })._readableState;
  return request.readableLength + buffer.length * PIECE;
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

/** The owner of requests without a token, who has no bound: behind a proxy they all come from one address. */
const NOBODY = '';

/** The token stands for the user: it is all that is known before a request is read. */
const ownerOf = ({ headers }: IncomingMessage) => headers.authorization ?? NOBODY;

/** Questions about health, and those that browsers ask beforehand. */
const costsNothing = ({ url = '', method }: IncomingMessage) =>
  /^\/health\//i.test(url) || method === 'OPTIONS';
