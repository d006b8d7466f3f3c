import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { whenAnswerBegins } from './answer-begins.js';

/** In bytes, for all together; two of the largest always have room. */
const ROOM = 64 * 1_024 * 1_024;

/** In bytes: what a piece takes in memory besides its length. A body may come in as many pieces as it has bytes. */
export const PIECE = 256;

interface Holder {
  bytes: number;
  /** When the first of them came. */
  since: number;
  isCut: boolean;
  cutOff: () => void;
}

/**
 * Bounds what is held of bodies and messages that have not come to their end. Beyond the limit, whoever has held
 * the most for the longest is cut off: small bodies pass, and so do large ones that come at once.
 */
export class Receiving {
  private readonly holders = new Set<Holder>();
  private bytes = 0;

  constructor(private readonly limit: number = ROOM) {}

  static roomFor(bodyLimit: number): Receiving {
    return new Receiving(Math.max(ROOM, 2 * bodyLimit));
  }

  /** Answers what to call with the number of bytes that are held, whenever that changes. */
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
    let most = -1;
    for (const holder of this.holders) {
      const rent = holder.bytes * (now - holder.since);
      if (rent > most) [worst, most] = [holder, rent];
    }
    if (!worst) return;
    this.hold(worst, 0);
    worst.isCut = true;
    worst.cutOff();
  }
}

const stops = new WeakMap<Socket, number>();

/** Until the answer is called. Node would read on by itself whenever a request has been read to its end. */
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
 * One read may bring ten thousand chunks, and Node reads thirty times in a row. So they are read while they are
 * counted, in `jsonBody`, and not after the answer.
 */
export function stopChunks(request: IncomingMessage, response: ServerResponse): () => void {
  whenAnswerBegins(response, () => {
    if (request.complete || response.headersSent) return;
    stopReading(request.socket);
    response.setHeader('Connection', 'close');
  });
  return stopReading(request.socket);
}

/** In bytes, of a body that nobody has begun to read: an inside of Node's streams. */
export function heldBy(request: IncomingMessage): number {
  const { buffer } = (request as unknown as { _readableState: { buffer: unknown[] } })._readableState;
  return request.readableLength + buffer.length * PIECE;
}
