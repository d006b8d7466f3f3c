import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import net from 'node:net';
import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import { hasBody } from './body.js';

const SWEEP_INTERVAL_MS = 500;

/** How long a drain leaves a connection open that has never sent anything. */
const UNUSED_MS = 1_000;

/** From the start of the drain: how long a request may take to arrive. */
const ARRIVING_MS = 6_500;

/** From the start of the drain: every connection still open is cut, even if its answer is still being read. */
const TAKING_MS = 8_000;

/** From the start of the drain: how long connections that already wait in the backlog are still accepted. */
const ACCEPTING_MS = 1_000;

interface Connection {
  /** The answer to the latest request. */
  answer?: ServerResponse;
  /** Answers that are not sent completely, in the order of their requests. */
  unfinished: Set<ServerResponse>;
  /** When its latest answer was through, and the bytes that had been read of it by then. */
  answeredAt: number;
  read: number;
}

/** The connections of a server, and its drain, which closes each of them after its last answer. */
export class Connections {
  private readonly open = new Map<net.Socket, Connection>();
  private readonly upgraded = new Set<net.Socket>();
  private accepted = 0;
  private isDraining = false;

  /** `refuseLate` answers a request that arrives too slowly during a drain. */
  constructor(
    private readonly server: Server,
    private readonly refuseLate: (response: ServerResponse) => void,
  ) {
    server.on('connection', (socket) => {
      this.accepted += 1;
      this.open.set(socket, { unfinished: new Set(), answeredAt: 0, read: 0 });
      socket.once('close', () => this.open.delete(socket));
    });
    server.on('upgrade', ({ socket }) => {
      this.open.delete(socket);
      this.upgraded.add(socket);
      socket.once('close', () => this.upgraded.delete(socket));
    });
    // Newcomers find room sooner than by the time that idle connections are kept.
    server.on('drop', () => server.closeIdleConnections());
  }

  follow(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.open.get(request.socket);
    if (!connection) return;
    connection.answer = response;
    connection.unfinished.add(response);
    response.on('close', () => {
      connection.unfinished.delete(response);
      connection.answeredAt = performance.now();
      connection.read = request.socket.bytesRead;
    });
    if (this.isDraining) closeBehind(response);
  }

  /** The answer to the latest request on a connection, whether sent or not. */
  lastAnswerOn(socket: net.Socket): ServerResponse | undefined {
    return this.open.get(socket)?.answer;
  }

  /** The answers that are not completely sent, in the order of their requests. */
  answersDueOn(socket: net.Socket): ServerResponse[] {
    return [...(this.open.get(socket)?.unfinished ?? [])];
  }

  /**
   * Drain: accepts no more connections and finishes the requests under way. An answer says `Connection: close`; idle
   * connections stay open as long as promised, because a client may be sending a request right now, and
   * `server.close()` would reset it. Whatever does not end is cut at the end, so that a drain always ends in time.
   *
   * Nobody is told to close before the port is closed, because they would connect again. Of processes that share a
   * port and drain together, each waits until the others have had the time to close it.
   */
  async drain(isPortShared = false): Promise<void> {
    const begunAt = performance.now();
    const othersClosed = isPortShared && delay(ACCEPTING_MS, undefined, { ref: false });
    await this.acceptWaiting();
    const closed = new Promise((resolve) => this.server.once('close', resolve));
    net.Server.prototype.close.call(this.server);
    if (othersClosed) await Promise.race([closed, othersClosed]);
    this.isDraining = true;
    for (const { unfinished } of this.open.values()) {
      const last = [...unfinished].at(-1);
      if (last) closeBehind(last);
    }
    const sweeping = setInterval(() => this.sweep(performance.now() - begunAt), SWEEP_INTERVAL_MS);
    await closed;
    clearInterval(sweeping);
  }

  /**
   * Accepts the backlog: one connection per turn of the event loop. Closing the listener resets those that are left.
   */
  private async acceptWaiting(): Promise<void> {
    const until = performance.now() + ACCEPTING_MS;
    await setImmediate(); // ends the current turn
    for (let before = -1; before < this.accepted && performance.now() < until; ) {
      before = this.accepted;
      await setImmediate();
    }
  }

  private sweep(drainedMs: number): void {
    if (drainedMs > TAKING_MS) for (const socket of [...this.open.keys(), ...this.upgraded]) socket.destroy();
    for (const [socket, connection] of this.open) {
      const [due] = connection.unfinished;
      if (due) this.refuseIfLate(due, drainedMs);
      else if (drainedMs > this.waitingLimitOf(socket, connection, drainedMs)) socket.destroy();
    }
  }

  /** How long a connection without a request stays: a client was told for how long it may send one. */
  private waitingLimitOf(
    { bytesRead }: net.Socket,
    { answeredAt, read }: Connection,
    drainedMs: number,
  ): number {
    if (bytesRead === 0) return UNUSED_MS;
    if (bytesRead > read) return ARRIVING_MS;
    return drainedMs - (performance.now() - answeredAt) + this.server.keepAliveTimeout + 1_000;
  }

  private refuseIfLate(due: ServerResponse, drainedMs: number): void {
    if (drainedMs < ARRIVING_MS || due.req.complete || !hasBody(due.req)) return;
    // A handler that does not read the body may be at work already.
    if (due.headersSent || !due.req.readableDidRead) due.req.socket.destroy();
    else this.refuseLate(due);
  }
}

function closeBehind(answer: ServerResponse): void {
  const { req } = answer;
  const close = () => {
    if (!answer.headersSent) answer.setHeader('Connection', 'close');
  };
  if (req.complete || !hasBody(req)) close();
  else req.once('end', close); // closing with more to read would reset the connection
}
