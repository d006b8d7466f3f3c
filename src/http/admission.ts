import type { IncomingMessage, OutgoingHttpHeader, ServerResponse } from 'node:http';
import { overloaded } from '../errors.js';
import { FairQueue } from '../queues/fair-queue.js';
import { AT_WORK, AT_WORK_OF_ONE, asVisit, type Visit } from '../request.js';
import { hasBody } from './body.js';
import { oneByOne } from './pipelining.js';
import { heldBy, Receiving, stopChunks, stopReading } from './receiving.js';
import type { Handler } from './server.js';
import { whenAnswerBegins } from './writing.js';

export interface AdmissionSettings {
  /** The number of slots: requests that are at work or wait for it. */
  limit: number;
  /** The maximum number of requests at work. */
  atWork?: number;
  /** In milliseconds: a request that has waited longer is refused, since its answer would come too late. */
  longestWait: number;
  /** In milliseconds: an abandoned request releases its slot after this time, since its work has ended by then. */
  longestWork: number;
  /** The answer to a refused request. */
  busy: Busy;
  receiving?: Receiving;
}

/**
 * Load shedding: refuses requests beyond the limit before they are parsed. A refusal that costs as much as an answer
 * would leave no time for answers.
 */
export function admission(handler: Handler, settings: AdmissionSettings): Handler {
  const door = new Door(handler, settings);
  return oneByOne({
    serve: (request, response, next) => door.ask(request, response, next),
    refuse: (request, response) => refuse(request, response, settings.busy),
    isExempt,
    longestWait: settings.longestWait,
  });
}

class Door {
  private readonly slots: Slots;
  private readonly turns: Turns;
  private readonly receiving: Receiving;

  constructor(
    private readonly handler: Handler,
    private readonly settings: AdmissionSettings,
  ) {
    const { limit, atWork = AT_WORK, longestWork, receiving = new Receiving() } = settings;
    this.slots = new Slots({ inside: limit, atWork, atWorkOfOne: AT_WORK_OF_ONE }, longestWork);
    this.turns = new Turns((owner) => this.slots.mayBegin(owner));
    this.receiving = receiving;
  }

  ask(...[request, response, next]: Parameters<Handler>): void {
    if (isExempt(request) && !isChunked(request))
      // In a scope of its own: behind an earlier request of the connection it would run in the scope of that one.
      asVisit(visitOf(request), () => this.handler(request, response, next));
    else if (!this.findRoomFor(request)) this.refuse(request, response);
    else if (!hasBody(request)) this.enter(request, response, next);
    else {
      const readOn = isChunked(request) ? stopChunks(request, response) : undefined;
      setImmediate(() => {
        this.enter(request, response, next); // by now the body has arrived too, if it was sent with the head
        readOn?.();
      });
    }
  }

  private enter(...[request, response, next]: Parameters<Handler>): void {
    if (!this.findRoomFor(request)) {
      this.refuse(request, response);
      return;
    }
    const move = this.slots.follow(response, ownerOf(request), () => this.turns.goOn());
    const visit = visitOf(request);
    const work = () => asVisit(visit, () => this.handler(request, response, next));
    if (request.complete || !hasBody(request)) {
      move('waiting');
      this.begin(request, response, { move, work });
    } else this.receive(request, response, { visit, move, work });
  }

  /** Starts a request whose body is still arriving. While the body is read, `jsonBody` leaves the slot. */
  private receive(
    request: IncomingMessage,
    response: ServerResponse,
    { visit, move, work }: Entry & { visit: Visit },
  ): void {
    const hold = this.receiving.follow(() => this.refuse(request, response, true));
    response.once('close', () => hold(0));
    visit.slot = {
      leave: () => move('outside'),
      hold,
      comeBack: (goOn) => {
        if (response.headersSent) return;
        if (!this.findRoomFor(request)) return this.refuse(request, response);
        move('waiting');
        this.begin(request, response, { move, work: goOn });
      },
    };
    this.begin(request, response, { move, work }, stopReading(request.socket));
    hold(heldBy(request));
  }

  private begin(
    request: IncomingMessage,
    response: ServerResponse,
    { move, work }: Entry,
    resumeReading?: () => void,
  ): void {
    const cameAt = performance.now();
    const isOver = () => request.socket.destroyed || response.headersSent;
    const turnAway = () => {
      if (isOver()) response.end();
      else this.refuse(request, response);
    };
    const begin = () => {
      resumeReading?.();
      if (isOver() || performance.now() - cameAt > this.settings.longestWait) return turnAway();
      move('atWork');
      work();
    };
    // While a body arrives, its request holds no slot, so nobody would gain one.
    this.turns.take(ownerOf(request), begin, resumeReading ? undefined : turnAway);
  }

  /** Another request may have to go for it. */
  private findRoomFor(request: IncomingMessage): boolean {
    if (this.slots.isFull) this.turns.makeRoomFor(ownerOf(request));
    return !this.slots.isFull;
  }

  private refuse(request: IncomingMessage, response: ServerResponse, closes?: true): void {
    refuse(request, response, this.settings.busy, closes);
  }
}

/** A request that was admitted. */
interface Entry {
  move: (to: State) => void;
  work: () => void;
}

/**
 * The owner of a request is its token, because nothing else is known before it is parsed. Requests without a token
 * have no owner and no limit of their own: behind a proxy they all share one address.
 */
const ownerOf = ({ headers }: IncomingMessage) => headers.authorization ?? '';

/** Health checks and preflights are always admitted. */
const isExempt = ({ url = '', method }: IncomingMessage) => /^\/health\//i.test(url) || method === 'OPTIONS';

const visitOf = (request: IncomingMessage): Visit => ({
  isAbandoned: () => request.socket.destroyed,
  trail: request.trail,
});

export type State = 'outside' | 'waiting' | 'atWork' | 'done';

/** Counts the slots: requests at work, in total and by owner, and requests that wait. */
export class Slots {
  private inside = 0;
  private atWork = 0;
  private readonly atWorkOf = new Map<string, number>();

  constructor(
    private readonly limits: { inside: number; atWork: number; atWorkOfOne: number },
    /** In milliseconds: an abandoned request releases its slot after this time, since its work has ended by then. */
    private readonly longestWork: number,
  ) {}

  get isFull(): boolean {
    return this.inside >= this.limits.inside;
  }

  /** The unnamed owner has no limit of its own. */
  mayBegin(owner: string): boolean {
    const { atWork, atWorkOfOne } = this.limits;
    return this.atWork < atWork && (owner === '' || (this.atWorkOf.get(owner) ?? 0) < atWorkOfOne);
  }

  /**
   * A request holds its slot while it waits or is worked on, not while its body arrives or its answer is read: a
   * client that sends slowly, reads slowly or subscribes does not block others. Returns a function that moves the
   * request to another state; `changed` is called after each move.
   */
  follow(response: ServerResponse, owner: string, changed: () => void): (to: State) => void {
    let state: State = 'outside';
    const move = (to: State) => {
      if (state === 'done' || state === to) return;
      this.count(owner, state, -1);
      state = to;
      this.count(owner, state, 1);
      changed();
    };
    whenAnswerBegins(response, () => move('done'));
    // The work for a client that has gone still takes its slot.
    response.once('close', () => {
      if (state !== 'done') setTimeout(move, this.longestWork, 'done').unref();
    });
    return move;
  }

  private count(owner: string, state: State, by: 1 | -1): void {
    if (state === 'waiting' || state === 'atWork') this.inside += by;
    if (state !== 'atWork') return;
    this.atWork += by;
    const ofOwner = (this.atWorkOf.get(owner) ?? 0) + by;
    if (ofOwner > 0) this.atWorkOf.set(owner, ofOwner);
    else this.atWorkOf.delete(owner);
  }
}

/** In milliseconds: how long a turn goes on to begin requests. A turn for each would cost as much as a small request. */
const TURN = 1;

interface Waiting {
  owner: string;
  work: () => void;
  turnAway: (() => void) | undefined;
}

/**
 * Begins requests, a few in each turn of the event loop. To begin one takes much longer than to refuse one, to answer
 * a health check or to accept a connection, and many in a turn would delay those.
 */
export class Turns {
  private readonly waiting = new FairQueue<Waiting>();
  private isDue = false;

  constructor(private readonly mayBegin: (owner: string) => boolean) {}

  /** Without `turnAway`, it keeps its place. */
  take(owner: string, work: () => void, turnAway?: () => void): void {
    this.waiting.add(owner, { owner, work, turnAway });
    this.goOn();
  }

  /**
   * Turns away the last in line of the owner with the most, if that is more than the newcomer's owner has. So nobody
   * shuts others out by asking often. The unnamed owner is many, and loses nothing.
   */
  makeRoomFor(owner: string): void {
    const last = this.waiting.makeRoomFor(owner, (item) => item.owner !== '' && item.turnAway !== undefined);
    last?.turnAway?.();
  }

  goOn(): void {
    if (this.isDue) return;
    this.isDue = true;
    setImmediate(() => {
      this.isDue = false;
      const until = performance.now() + TURN;
      do {
        const next = this.waiting.take(({ owner }) => this.mayBegin(owner));
        if (!next) return; // until a request at work has ended
        next.work();
      } while (performance.now() < until);
      this.goOn();
    });
  }
}

/** In bytes: the body of a refused request is read up to this size, so that the connection can be reused. */
const SMALL_BODY = 65_536;

/**
 * The answer to a request that is refused for lack of room. Serialised beforehand: Node then sends head and body in
 * one write.
 */
export type Busy = (request: IncomingMessage) => {
  body: string;
  headers?: Record<string, OutgoingHttpHeader>;
};

const { reason, details } = overloaded();

export const isChunked = ({ headers }: IncomingMessage) => 'transfer-encoding' in headers;

const isSmall = (request: IncomingMessage) =>
  !isChunked(request) && Number(request.headers['content-length'] ?? 0) <= SMALL_BODY;

export function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  busy: Busy,
  closes = !isSmall(request),
): void {
  if (request.trail) request.trail.reason = reason;
  const { body, headers } = busy(request);
  response.writeHead(503, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': body.length,
    'Cache-Control': 'no-store',
    'Retry-After': details.retryAfter ?? 1,
    ...(closes && { Connection: 'close' }),
    ...headers,
  });
  response.end(body);
}
