import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import net from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { hasBody } from './json-body.js';

/** In milliseconds: how long a client may leave an answer unread. */
const UNREAD_LIMIT = 8_000;

/** In milliseconds: how long a connection may be without a request, whatever trickles in. */
const WAITING_LIMIT = 10_000;

/** In milliseconds: the same for one on which nothing ever came in, when the service stops. */
const UNUSED_LIMIT = 1_000;

/** In milliseconds: how long those are let in, when the service stops, who have connected and wait for it. */
const ACCEPTING_LIMIT = 1_000;

interface Connection {
  /** To the last request that came; undefined once that is answered. */
  answer: ServerResponse | undefined;
  waitingSince: number;
}

/** Ends the connections that only cost something, and when drained all of them, none with a request under way. */
export class Connections {
  private readonly open = new Map<net.Socket, Connection>();
  private accepted = 0;
  private isDraining = false;

  constructor(private readonly server: Server) {
    server.timeout = UNREAD_LIMIT;
    server.on('connection', (socket) => {
      this.accepted += 1;
      this.open.set(socket, { answer: undefined, waitingSince: performance.now() });
      socket.once('close', () => this.open.delete(socket));
    });
    server.on('upgrade', ({ socket }) => this.open.delete(socket));
    const sweeping = setInterval(() => this.sweep(), 500).unref();
    server.once('close', () => clearInterval(sweeping));
  }

  follow(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const connection = this.open.get(socket);
    if (!connection) return;
    connection.answer = response;
    response.once('close', () => {
      if (connection.answer !== response) return;
      connection.answer = undefined;
      connection.waitingSince = performance.now();
    });
    // With nothing to be read, it is not the client who takes long.
    response.on('timeout', () => socket.writableLength > 0 && socket.destroy());

    const { writeHead } = response;
    response.writeHead = ((...head: Parameters<typeof writeHead>) => {
      // Closing while there is more to read or to answer would reset the connection.
      const isRead = request.complete || !hasBody(request);
      const isLast = connection.answer === response;
      if (this.isDraining && isRead && isLast) response.setHeader('Connection', 'close');
      return writeHead.apply(response, head);
    }) as typeof writeHead;
  }

  /** What is being answered on a connection. */
  answerOn(socket: net.Socket): ServerResponse | undefined {
    return this.open.get(socket)?.answer;
  }

  /**
   * Answers what was asked and takes no new connection. Clients who ask are told to close; the others keep theirs
   * as long as they were promised, for they may be asking. `server.close()` would reset connections that just asked.
   */
  async drain(): Promise<void> {
    await this.acceptWaiting();
    const closed = new Promise((resolve) => this.server.once('close', resolve));
    net.Server.prototype.close.call(this.server);
    this.isDraining = true; // not before: who is told to close connects anew
    await closed;
  }

  /** Each turn of the event loop accepts one connection; those that are left when it ends are reset. */
  private async acceptWaiting(): Promise<void> {
    const until = performance.now() + ACCEPTING_LIMIT;
    await setImmediate(); // the rest of this turn
    for (let before = -1; before < this.accepted && performance.now() < until; ) {
      before = this.accepted;
      await setImmediate();
    }
  }

  private sweep(): void {
    for (const [socket, { answer, waitingSince }] of this.open) {
      const limit = this.isDraining && socket.bytesRead === 0 ? UNUSED_LIMIT : WAITING_LIMIT;
      if (!answer && performance.now() - waitingSince > limit) socket.destroy();
    }
  }
}
