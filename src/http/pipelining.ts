import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { hasBody } from './body.js';
import { stopReading } from './receiving.js';
import type { Handler } from './server.js';

/** The maximum number of requests that wait on one connection. */
const MAX_WAITING_ON_ONE = 100;

/** The maximum on all connections together. Each waiting request takes some kilobytes. */
const MAX_WAITING = 10_000;

interface QueuedRequest {
  request: IncomingMessage;
  response: ServerResponse;
  next: (error?: unknown) => void;
  cameAt: number;
  /** Arrived when the line was full, so it will be refused. */
  isSurplus: boolean;
}

interface Rules {
  serve: Handler;
  refuse: RequestListener;
  /** Whether a request is served however long it has waited. */
  isExempt: (request: IncomingMessage) => boolean;
  /** In milliseconds: a request that has waited longer is refused, since its answer would come too late. */
  longestWait: number;
}

/**
 * Pipelining: a client may send requests before earlier ones are answered, and gets the answers in order. Each
 * connection has one slot at most: otherwise a few connections could take all slots.
 */
export function oneByOne(rules: Rules): Handler {
  const lines = new WeakMap<Socket, Pipeline>();
  const all = { ...rules, waiting: 0 };
  return (request, response, next) => {
    const { socket } = request;
    const line = lines.get(socket) ?? new Pipeline(socket, all);
    lines.set(socket, line);
    line.join({ request, response, next, cameAt: performance.now(), isSurplus: false });
  };
}

/**
 * The requests of one connection. One begins per turn of the event loop, so that other connections are served in
 * between. Reading stops while the line is full: a single chunk may contain thousands of requests.
 */
class Pipeline {
  private readonly waiting: QueuedRequest[] = [];
  private withinLimit = 0;
  private isBusy = false;
  private readOn: (() => void) | undefined;

  constructor(
    private readonly socket: Socket,
    private readonly all: Rules & { waiting: number },
  ) {
    socket.once('close', () => this.leave());
  }

  join(queued: QueuedRequest): void {
    if (!this.isBusy) this.begin(queued);
    else if (this.all.waiting >= MAX_WAITING) this.socket.destroy();
    else if (this.socket.writable) this.wait(queued);
  }

  private wait(queued: QueuedRequest): void {
    queued.isSurplus = this.withinLimit >= MAX_WAITING_ON_ONE;
    this.withinLimit += Number(!queued.isSurplus);
    this.all.waiting += 1;
    this.waiting.push(queued);
    if (!this.mayRead()) this.readOn ??= stopReading(this.socket);
  }

  private begin({ request, response, next, cameAt, isSurplus }: QueuedRequest): void {
    this.isBusy = true;
    response.once('close', () => this.goOn());
    const { serve, refuse, isExempt, longestWait } = this.all;
    const isLate = performance.now() - cameAt > longestWait && !isExempt(request);
    if (isSurplus || isLate) refuse(request, response);
    else serve(request, response, next);
  }

  private goOn(): void {
    if (this.waiting.length > 0) setImmediate(() => this.beginNext());
    else this.isBusy = false;
  }

  private beginNext(): void {
    if (!this.socket.writable) this.leave();
    const queued = this.waiting.shift();
    if (!queued) return;
    this.withinLimit -= Number(!queued.isSurplus);
    this.all.waiting -= 1;
    this.begin(queued);
    if (!this.mayRead()) return;
    this.readOn?.();
    this.readOn = undefined;
  }

  /** Reading on would only buffer the body of a waiting request. */
  private mayRead(): boolean {
    const last = this.waiting.at(-1)?.request;
    return this.waiting.length < MAX_WAITING_ON_ONE && (!last || last.complete || !hasBody(last));
  }

  /** The client has gone: drops its waiting requests. */
  private leave(): void {
    this.all.waiting -= this.waiting.length;
    this.waiting.length = 0;
  }
}
