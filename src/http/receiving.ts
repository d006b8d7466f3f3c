import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { whenAnswerBegins } from './writing.js';

/** In bytes: the overhead of a piece. A body may arrive in as many pieces as it has bytes. */
export const PIECE = 256;

interface Holder {
  bytes: number;
  /** The arrival of the first byte. */
  since: number;
  isCut: boolean;
  cutOff: () => void;
}

/**
 * Limits the memory of what is unfinished: bodies and messages, and exports. Beyond the limit, the client with the
 * highest product of size and time is cut off: small bodies pass, and so do large ones that arrive quickly.
 */
export class Receiving {
  private readonly holders = new Set<Holder>();
  private bytes = 0;

  /** In bytes, for all clients together. */
  constructor(private readonly limit = Infinity) {}

  /** Returns a function to call with the number of bytes held, whenever it changes. */
  follow(cutOff: () => void): (bytes: number) => void {
    const holder: Holder = { bytes: 0, since: 0, isCut: false, cutOff };
    return (bytes) => {
      if (holder.isCut) return;
      this.hold(holder, bytes);
      while (this.bytes > this.limit) this.shed();
    };
  }

  private hold(holder: Holder, bytes: number): void {
    if (bytes === 0) this.holders.delete(holder);
    else if (holder.bytes === 0) {
      holder.since = performance.now();
      this.holders.add(holder);
    }
    this.bytes += bytes - holder.bytes;
    holder.bytes = bytes;
  }

  private shed(): void {
    const now = performance.now();
    let worst: Holder | undefined;
    let worstCost = -1;
    for (const holder of this.holders) {
      const cost = holder.bytes * (now - holder.since);
      if (cost > worstCost) [worst, worstCost] = [holder, cost];
    }
    if (!worst) return;
    this.hold(worst, 0);
    worst.isCut = true;
    worst.cutOff();
  }
}

const stops = new WeakMap<Socket, number>();

/**
 * Stops reading until the returned function is called. `resume` is replaced because Node would resume after each
 * request.
 */
export function stopReading(socket: Socket): () => void {
  const before = stops.get(socket) ?? 0;
  stops.set(socket, before + 1);
  if (before === 0) {
    socket.pause();
    socket.resume = () => socket;
  }
  return () => {
    const left = (stops.get(socket) ?? 1) - 1;
    stops.set(socket, left);
    if (left > 0) return;
    socket.resume = Socket.prototype.resume;
    socket.resume();
  };
}

/**
 * One read may bring ten thousand chunks, and Node reads up to thirty times in a row. So chunks are read while
 * `jsonBody` counts them, and never after the answer.
 */
export function stopChunks(request: IncomingMessage, response: ServerResponse): () => void {
  whenAnswerBegins(response, () => {
    if (request.complete || response.headersSent) return;
    stopReading(request.socket);
    response.setHeader('Connection', 'close');
  });
  return stopReading(request.socket);
}

/** In bytes: what is buffered of a body that nobody has begun to read. It reads internals of Node's streams. */
export function heldBy(request: IncomingMessage): number {
  const { buffer } = (request as unknown as { _readableState: { buffer: unknown[] } })._readableState;
  return request.readableLength + buffer.length * PIECE;
}

type OnIncoming = (request: IncomingMessage, keepsAlive: boolean) => number;

/**
 * Destroys a connection at the first request for which `isTooMuch` holds, in the middle of a piece: a destroyed socket
 * alone is parsed on to the end of what has arrived, which may hold thousands of requests.
 */
export function destroyWhen(socket: Socket, isTooMuch: () => boolean): void {
  const { parser } = socket as Socket & { parser: { onIncoming: OnIncoming } };
  const { onIncoming } = parser;
  parser.onIncoming = (request, keepsAlive) => {
    if (!isTooMuch()) return onIncoming(request, keepsAlive);
    socket.destroy();
    Object.assign(request, { upgrade: true }); // the parser leaves what follows to another protocol
    return LEAVE_REST;
  };
}

/** Tells the parser to leave the rest. */
const LEAVE_REST = 2;
