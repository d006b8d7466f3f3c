import type { IncomingMessage, ServerResponse } from 'node:http';
import { AT_WORK, AT_WORK_OF_ONE, asVisit, type Visit } from '../request.js';
import { hasBody } from './body.js';
import { oneByOne } from './pipelining.js';
import { heldBy, Receiving, stopChunks, stopReading } from './receiving.js';
import { type Busy, isChunked, refuse } from './refusal.js';
import type { Handler } from './server.js';
import { Slots, type State } from './slots.js';
import { Turns } from './turns.js';

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
