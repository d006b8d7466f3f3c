import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { hasBody } from './body.js';
import { stopReading } from './receiving.js';
import type { Handler } from './server.js';

/** How many requests of a connection may wait for the answer to an earlier one. */
const LONGEST_LINE = 100;

/** On all connections together. Each of them costs some kilobytes. */
const MOST_WAITING = 10_000;

interface Turn {
  request: IncomingMessage;
  response: ServerResponse;
  next: (error?: unknown) => void;
  cameAt: number;
  /** Came when the line was full. */
  isSurplus: boolean;
}

interface Rules {
  serve: Handler;
  refuse: RequestListener;
  /** Whether a request is answered however long it has waited. */
  isPatient: (request: IncomingMessage) => boolean;
  /** In milliseconds: a request that has waited longer would be answered too late. */
  longestWait: number;
}

/**
 * Clients may send requests before the earlier ones are answered (pipelining), but are answered in order. So each
 * connection has one slot only, or a few of them would take all.
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
 * The requests of one connection. One of them begins in each turn of the event loop, whatever it costs, so that
 * others are served in between. While the line is full, nothing more is read: one chunk alone may hold thousands.
 */
class Pipeline {
  private readonly waiting: Turn[] = [];
  private inTime = 0;
  private isBusy = false;
  private readOn: (() => void) | undefined;

  constructor(
    private readonly socket: Socket,
    private readonly all: Rules & { waiting: number },
  ) {
    socket.once('close', () => this.leave());
  }

  join(turn: Turn): void {
    if (!this.isBusy) this.begin(turn);
    else if (this.all.waiting >= MOST_WAITING) this.socket.destroy();
    else if (this.socket.writable) this.wait(turn);
  }

  private wait(turn: Turn): void {
    turn.isSurplus = this.inTime >= LONGEST_LINE;
    this.inTime += Number(!turn.isSurplus);
    this.all.waiting += 1;
    this.waiting.push(turn);
    if (!this.mayRead()) this.readOn ??= stopReading(this.socket);
  }

  private begin({ request, response, next, cameAt, isSurplus }: Turn): void {
    this.isBusy = true;
    response.once('close', () => this.goOn());
    const { serve, refuse, isPatient, longestWait } = this.all;
    const isLate = performance.now() - cameAt > longestWait && !isPatient(request);
    if (isSurplus || isLate) refuse(request, response);
    else serve(request, response, next);
  }

  private goOn(): void {
    if (this.waiting.length > 0) setImmediate(() => this.beginNext());
    else this.isBusy = false;
  }

  private beginNext(): void {
    if (!this.socket.writable) this.leave();
    const turn = this.waiting.shift();
    if (!turn) return;
    this.inTime -= Number(!turn.isSurplus);
    this.all.waiting -= 1;
    this.begin(turn);
    if (!this.mayRead()) return;
    this.readOn?.();
    this.readOn = undefined;
  }

  /** The body of a request that waits would only be held. */
  private mayRead(): boolean {
    const last = this.waiting.at(-1)?.request;
    return this.waiting.length < LONGEST_LINE && (!last || last.complete || !hasBody(last));
  }

  /** Nobody could be told what became of them. */
  private leave(): void {
    this.all.waiting -= this.waiting.length;
    this.waiting.length = 0;
  }
}
