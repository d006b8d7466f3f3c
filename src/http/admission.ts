import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, OutgoingHttpHeader, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AT_WORK_OF_ONE } from '../base/config/fixed.js';
import { overloaded } from '../base/errors.js';
import { FairSemaphore, type Release } from '../base/queues/fair-semaphore.js';
import { asVisit, type Permit, type Visit } from '../base/request.js';
import { ERROR_REASON, type Handler } from './answers.js';
import { hasBody, mayBeLarge } from './body.js';

export interface AdmissionLimits {
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
const TICK_MS = 1;

/** Answers of one address that are read at a time: as many as the browsers of a crowd behind it ask for. */
const OPEN_OF_ONE = 100;

/** Answers without a token that are read at a time, by all addresses. Others wait, which takes no more memory than their connections. */
const OPEN_AT_WORK = 1_000;

/** The line of what needs no token: a flood of it takes turns with everything else, and harms its own address. */
export const openSemaphore = ({ timeouts }: Pick<AdmissionLimits, 'timeouts'>): FairSemaphore =>
  new FairSemaphore({
    size: OPEN_AT_WORK,
    ofOne: OPEN_OF_ONE,
    tickMs: TICK_MS,
    longestWaitMs: timeouts.longestWait,
  });

/** The queue in which requests and operations on WebSockets wait to be worked on. */
export const requestSemaphore = ({ atWork, maxRequests, timeouts }: AdmissionLimits): FairSemaphore =>
  new FairSemaphore({
    size: atWork,
    ofOne: Math.min(AT_WORK_OF_ONE, Math.ceil(atWork / 2)), // never all of a worker's share
    tickMs: TICK_MS,
    room: maxRequests,
    longestWaitMs: timeouts.longestWait,
  });

/** With the wait for the permit itself it stays below the time in which a request must have arrived. */
const SHARE_OF_WAIT = 0.6;

/**
 * Requests with a large body wait here for their permit, and leave when it is parsed: however long that takes, most permits
 * are for others. Nothing of a body is read before.
 */
export function largeBodySemaphore({ atWork, maxRequests, timeouts }: AdmissionLimits): FairSemaphore {
  const size = Math.max(1, Math.floor(atWork / 3));
  return new FairSemaphore({
    size,
    ofOne: Math.ceil(size / 3),
    room: maxRequests,
    longestWaitMs: SHARE_OF_WAIT * timeouts.longestWait,
  });
}

export interface AdmissionSettings {
  semaphore: FairSemaphore;
  /** That of `largeBodySemaphore`. */
  large: FairSemaphore;
  /** That of `openSemaphore`. */
  open: FairSemaphore;
  /** Another such one, for health checks: who takes files slowly keeps none of them waiting. */
  health: FairSemaphore;
  /** An abandoned request releases its permit after this time: most work has ended by then. */
  longestWorkMs: number;
  /** Who takes nothing for so long of an answer that needs no token is cut off: others wait for the permit. */
  unreadMs: number;
  /** Who takes turns with others: a user, or an address. */
  ownerOf: (request: IncomingMessage) => string;
  /** The network of its address. */
  networkOf: (request: IncomingMessage) => string;
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
  { semaphore, large, open, health, longestWorkMs, unreadMs, ownerOf, networkOf, busy }: AdmissionSettings,
): Handler {
  return (request, response, next) => {
    const visit: Visit = {
      isAbandoned: () => request.socket.destroyed,
      acceptLanguage: request.headers['accept-language'],
      trail: request.trail,
    };
    const work = () => asVisit(visit, () => handler(request, response, next));
    const admit = (through: FairSemaphore, owner: string, begin: (release: Release) => void) => {
      const release = through.tryAcquire(owner);
      if (release) return begin(release);
      const turnAway = () => {
        if (!request.socket.destroyed) refuse(request, response, busy);
      };
      asVisit(visit, () => {
        // It begins within the work of whoever makes room for it, which is none of its own.
        const own = new AsyncResource('waiting');
        through.wait(owner, {
          begin: (release) => own.runInAsyncScope(begin, undefined, release),
          refuse: turnAway,
        });
      });
    };
    if (needsNoToken(request)) {
      return admit(isHealth(request) ? health : open, networkOf(request), (release) => {
        response.once('close', release);
        cutOffUnread(response, unreadMs);
        work();
      });
    }
    const owner = ownerOf(request);
    visit.owner = owner;
    const takePermit = () =>
      admit(semaphore, owner, (release) => {
        const permit = new RequestPermit(semaphore, owner, release);
        permit.endsBehind(response, longestWorkMs);
        visit.permit = permit;
        work();
      });
    if (!mayBeLarge(request)) return takePermit();
    admit(large, owner, (release) => {
      visit.isParsed = once(release);
      response.once('close', visit.isParsed);
      takePermit();
    });
  };
}

/** Nobody who takes some, however slowly. Packed files of the page are no concern: the system holds a whole one for a phone. */
function cutOffUnread(response: ServerResponse, unreadMs: number): void {
  let before = bytesTaken(response);
  const looking = setInterval(() => {
    const taken = bytesTaken(response);
    if (response.headersSent && taken === before) response.socket?.destroy();
    before = taken;
  }, unreadMs).unref();
  response.once('close', () => clearInterval(looking));
}

/** What has left this process on its connection. Node counts what waits to be written too, however little is taken. */
function bytesTaken({ socket }: ServerResponse): number {
  const { bytesWritten = 0, _handle } = (socket ?? {}) as Partial<Socket> & { _handle?: Handle | null };
  return bytesWritten - (_handle?.writeQueueSize ?? 0);
}

/** What the types of Node hide. */
interface Handle {
  writeQueueSize?: number;
}

function once(release: Release): Release {
  let hasLeft = false;
  return () => {
    if (hasLeft) return;
    hasLeft = true;
    release();
  };
}

const LOOK_EVERY_MS = 50;

/** The permit of a request or of an operation. It leaves it while it waits in another queue. */
export class RequestPermit implements Permit {
  private waits = 0;
  private isOver = false;

  constructor(
    private readonly semaphore: FairSemaphore,
    private readonly owner: string,
    private giveBack: Release,
  ) {}

  /** Rejects with a refusal if there is no room, or no turn in time. */
  static async in(semaphore: FairSemaphore, owner: string): Promise<RequestPermit> {
    return new RequestPermit(semaphore, owner, await semaphore.acquire(owner));
  }

  suspend(): void {
    this.waits += 1;
    if (this.waits === 1 && !this.isOver) this.giveBack();
  }

  resume(): void {
    this.waits -= 1;
    if (this.waits === 0 && !this.isOver) this.giveBack = this.semaphore.acquireAnyway(this.owner);
  }

  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    if (this.waits === 0) this.giveBack();
  }

  /** It is held until the answer is sent: what clients leave unread is bounded by the number of permits. */
  endsBehind(response: ServerResponse, longestWorkMs: number): void {
    response.on('close', () => {
      if (response.writableEnded) return this.end();
      // The work for a client that has gone still takes its permit, and Node tells nobody when that is answered.
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

const isHealth = ({ url = '' }: IncomingMessage) => url.startsWith('/health/');

/** Health checks, preflights, the files of pages, and the document of the API with its page. */
const NEEDS_NO_TOKEN =
  /^\/(?:$|\?|health\/|page\/|service-worker\.js|graphql-playground\/assets\/|api\/(?:openapi\.json|docs))/i;

const needsNoToken = ({ url = '', method }: IncomingMessage) =>
  NEEDS_NO_TOKEN.test(url) || method === 'OPTIONS';

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
