import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, OutgoingHttpHeader, ServerResponse } from 'node:http';
import { AT_WORK_OF_ONE } from '../config/fixed.js';
import { overloaded } from '../errors.js';
import { type Leave, Line } from '../queues/line.js';
import { asVisit, type Slot, type Visit } from '../request.js';
import { ERROR_REASON, type Handler } from './answers.js';
import { hasBody } from './body.js';

export interface LineSettings {
  /** The maximum number of requests at work. */
  atWork: number;
  /** The maximum number of requests, with those that wait. */
  maxRequests: number;
  timeouts: { longestWait: number };
}

/**
 * How long one turn of the event loop goes on to begin requests: to begin one takes much longer than to refuse one, to
 * answer a health check or to accept a connection, and a turn for each would cost as much as a small request.
 */
const TURN_MS = 1;

/** The line in which requests and operations on WebSockets wait to be worked on. */
export const admissionLine = ({ atWork, maxRequests, timeouts }: LineSettings): Line =>
  new Line({
    size: atWork,
    ofOne: Math.min(AT_WORK_OF_ONE, Math.ceil(atWork / 2)), // never all of a worker's share
    turnMs: TURN_MS,
    room: maxRequests,
    longestWaitMs: timeouts.longestWait,
  });

export interface AdmissionSettings {
  line: Line;
  /** An abandoned request releases its slot after this time: most work has ended by then. */
  longestWorkMs: number;
  /** Who takes turns with others: a user, or an address. */
  ownerOf: (request: IncomingMessage) => string;
  /** The answer to a refused request. */
  busy: Busy;
}

/**
 * The answer to a request that is refused for lack of room. Serialised beforehand: Node then sends head and body in
 * one write.
 */
export type Busy = (request: IncomingMessage) => {
  body: string;
  headers?: Record<string, OutgoingHttpHeader>;
};

/**
 * Load shedding: refuses requests beyond the limit before they are parsed. A refusal that costs as much as an answer
 * would leave no time for answers.
 */
export function admission(
  handler: Handler,
  { line, longestWorkMs, ownerOf, busy }: AdmissionSettings,
): Handler {
  return (request, response, next) => {
    const visit: Visit = {
      isAbandoned: () => request.socket.destroyed,
      acceptLanguage: request.headers['accept-language'],
      trail: request.trail,
    };
    const work = () => handler(request, response, next);
    if (isExempt(request)) return asVisit(visit, work);
    const owner = ownerOf(request);
    const begin = (leave: Leave) => {
      const place = new Place(line, owner, leave);
      place.endsBehind(response, longestWorkMs);
      visit.slot = place;
      asVisit(visit, work);
    };
    const leave = line.enterAtOnce(owner);
    if (leave) return begin(leave);
    const turnAway = () => {
      if (!request.socket.destroyed) refuse(request, response, busy);
    };
    asVisit(visit, () => {
      // It begins within the work of whoever makes room for it, which is none of its own.
      const own = new AsyncResource('waiting');
      line.wait(owner, { begin: (leave) => own.runInAsyncScope(begin, undefined, leave), refuse: turnAway });
    });
  };
}

const LOOK_EVERY_MS = 50;

/** The slot of a request or of an operation. It leaves it while it waits in another line. */
export class Place implements Slot {
  private linesWaitedIn = 0;
  private isOver = false;

  constructor(
    private readonly line: Line,
    private readonly owner: string,
    private giveBack: Leave,
  ) {}

  /** Rejects with a refusal if there is no room, or no turn in time. */
  static async in(line: Line, owner: string): Promise<Place> {
    return new Place(line, owner, await line.enter(owner));
  }

  leave(): void {
    this.linesWaitedIn += 1;
    if (this.linesWaitedIn === 1 && !this.isOver) this.giveBack();
  }

  takeBack(): void {
    this.linesWaitedIn -= 1;
    if (this.linesWaitedIn === 0 && !this.isOver) this.giveBack = this.line.comeBack(this.owner);
  }

  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    if (this.linesWaitedIn === 0) this.giveBack();
  }

  /** It is held until the answer is sent: what clients leave unread is bounded by the number of slots. */
  endsBehind(response: ServerResponse, longestWorkMs: number): void {
    response.on('close', () => {
      if (response.writableEnded) return this.end();
      // The work for a client that has gone still takes its slot, and Node tells nobody when that is answered.
      const end = () => {
        clearInterval(looking);
        clearTimeout(late);
        this.end();
      };
      const looking = setInterval(() => response.writableEnded && end(), LOOK_EVERY_MS).unref();
      const late = setTimeout(end, longestWorkMs).unref();
    });
  }
}

/** Always admitted: health checks, preflights, and the files of pages, which many behind one address open at once. */
const isExempt = ({ url = '', method }: IncomingMessage) =>
  /^\/(?:health|page\/assets|graphql-playground\/assets)\//i.test(url) || method === 'OPTIONS';

/** In bytes: the body of a refused request is read up to this size, so that the connection can be reused. */
const SMALL_BODY = 65_536;

const { reason, details } = overloaded();

const isSmall = (request: IncomingMessage) =>
  !hasBody(request) || Number(request.headers['content-length'] ?? Infinity) <= SMALL_BODY;

function refuse(request: IncomingMessage, response: ServerResponse, busy: Busy): void {
  if (request.trail) request.trail.reason = reason;
  const { body, headers } = busy(request);
  response.writeHead(503, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': body.length,
    'Cache-Control': 'no-store',
    'Retry-After': details.retryAfter ?? 1,
    [ERROR_REASON]: reason,
    ...(!isSmall(request) && { Connection: 'close' }),
    ...headers,
  });
  response.end(body);
}
