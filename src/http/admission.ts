import type { IncomingMessage, OutgoingHttpHeader, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { overloaded } from '../errors.js';
import { HeldSlot, type SlotSettings, Slots } from '../queues/slots.js';
import { asVisit, type Slot } from '../request.js';
import { hasBody } from './body.js';
import { destroyWhen, heldBy, Receiving, stopChunks, stopReading } from './receiving.js';
import type { Handler } from './server.js';
import { whenAnswerBegins } from './writing.js';

export interface AdmissionSettings extends SlotSettings {
  /** In milliseconds: an abandoned request releases its slot after this time, since its work has ended by then. */
  longestWork: number;
  /** Who takes turns with others: a user, or an address. */
  ownerOf: (request: IncomingMessage) => string;
  /** The answer to a refused request. */
  busy: Busy;
  receiving: Receiving;
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
export function admission(handler: Handler, settings: AdmissionSettings): Handler {
  const requests = new Admission(handler, settings);
  return inOrder((request, response, next) => requests.ask(request, response, next));
}

/**
 * The maximum number of requests that wait behind others on their connections: as many as one read may bring. Each
 * takes some kilobytes.
 */
const MAX_BEHIND = 4_000;

/** In milliseconds: how long those of a closed connection count, or each of many would bring as many again. */
const COUNTED_AFTER_CLOSE = 1_000;

/**
 * Begins the requests of a connection one after the other, as HTTP wants it for requests that are sent before earlier
 * ones are answered. Reading stops while one waits, but a single read may have brought thousands.
 */
function inOrder(handler: Handler): Handler {
  const lines = new WeakMap<Socket, (() => void)[]>();
  let behind = 0;
  const lineOn = (socket: Socket) => {
    const line: (() => void)[] = [];
    lines.set(socket, line);
    destroyWhen(socket, () => line.length > 0 && behind >= MAX_BEHIND);
    socket.once('close', () => {
      const left = Math.max(0, line.length - 1);
      line.length = 0;
      setTimeout(() => {
        behind -= left;
      }, COUNTED_AFTER_CLOSE).unref();
    });
    return line;
  };
  return (request, response, next) => {
    const { socket } = request;
    const line = lines.get(socket) ?? lineOn(socket);
    const goOn = () => {
      line.shift();
      if (!line[0]) return;
      behind -= 1;
      setImmediate(line[0]);
    };
    let readOn = () => {};
    line.push(() => {
      readOn();
      if (!socket.writable) return; // the answer before has closed it
      response.once('close', goOn);
      handler(request, response, next);
    });
    if (line.length === 1) return line[0]?.();
    readOn = stopReading(socket);
    behind += 1;
  };
}

class Admission {
  private readonly slots: Slots;

  constructor(
    private readonly handler: Handler,
    readonly settings: AdmissionSettings,
  ) {
    this.slots = new Slots(settings);
  }

  ask(...[request, response, next]: Parameters<Handler>): void {
    const work = (slot?: Slot) => () => {
      const visit = { isAbandoned: () => request.socket.destroyed, trail: request.trail, slot };
      asVisit(visit, () => this.handler(request, response, next));
    };
    const enter = () => {
      const admitted = this.admit(request, response);
      admitted?.begin(work(admitted));
    };
    if (isExempt(request) && !isChunked(request)) work()();
    else if (!hasBody(request)) enter();
    else {
      const readOn = isChunked(request) ? stopChunks(request, response) : undefined;
      setImmediate(() => {
        enter(); // by now the body has arrived too, if it was sent with the head
        readOn?.();
      });
    }
  }

  private admit(request: IncomingMessage, response: ServerResponse): Admitted | undefined {
    const owner = this.settings.ownerOf(request);
    if (this.slots.makeRoomFor(owner)) return new Admitted(this, this.slots, owner, request, response);
    refuse(request, response, this.settings.busy);
    return undefined;
  }
}

/**
 * A request and its slot, which it holds while it waits or is worked on, not while its body arrives or its answer is
 * read: a client that sends slowly, reads slowly or subscribes does not block others.
 */
class Admitted extends HeldSlot {
  private report: ((bytes: number) => void) | undefined;
  /** Whether it is worked on, other than by receiving its body. */
  private isServed = false;

  constructor(
    private readonly admission: Admission,
    slots: Slots,
    owner: string,
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
  ) {
    super(slots, owner);
    const done = () => this.move('done');
    whenAnswerBegins(response, done);
    response.once('close', () => {
      this.report?.(0);
      // The work for a client that has gone still takes its slot.
      if (this.state !== 'done') setTimeout(done, admission.settings.longestWork).unref();
    });
  }

  begin(work: () => void): void {
    const isArriving = hasBody(this.request) && !this.request.complete;
    if (isArriving) this.count(heldBy(this.request));
    const readOn = isArriving ? stopReading(this.request.socket) : () => {};
    const begin = () => {
      readOn();
      this.isServed = true;
      work();
    };
    const turnAway = () => {
      readOn();
      this.refuse();
    };
    this.wait(begin, turnAway);
  }

  hold(bytes: number): void {
    this.isServed = bytes === 0;
    this.count(bytes);
  }

  private count(bytes: number): void {
    const { admission, request, response } = this;
    const cutOff = () => {
      // What is served without its body may have changed something, and will be answered.
      if (response.headersSent || this.isServed) request.socket.destroy();
      else refuse(request, response, admission.settings.busy, true);
    };
    this.report ??= admission.settings.receiving.follow(cutOff);
    this.report(bytes);
  }

  protected get isOver(): boolean {
    return this.request.socket.destroyed || this.response.headersSent;
  }

  protected refuse(): void {
    if (this.isOver) this.move('done');
    else refuse(this.request, this.response, this.admission.settings.busy);
  }
}

/** Health checks and preflights are always admitted. */
const isExempt = ({ url = '', method }: IncomingMessage) => /^\/health\//i.test(url) || method === 'OPTIONS';

/** In bytes: the body of a refused request is read up to this size, so that the connection can be reused. */
const SMALL_BODY = 65_536;

const { reason, details } = overloaded();

const isChunked = ({ headers }: IncomingMessage) => 'transfer-encoding' in headers;

const isSmall = (request: IncomingMessage) =>
  !isChunked(request) && Number(request.headers['content-length'] ?? 0) <= SMALL_BODY;

function refuse(
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
