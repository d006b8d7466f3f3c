import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import net from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { whenAnswerBegins } from './answer-begins.js';
import { hasBody } from './body.js';
import { Unread } from './unread.js';

/** In milliseconds. Limits count sweeps: where the service itself was held up, nobody is to blame. */
const SWEEP_INTERVAL = 500;

/** In sweeps: how far a client may have fallen behind with an answer when the service stops. */
const STUCK_LIMIT = 2_000 / SWEEP_INTERVAL;

/** How long a connection may be without a request, whatever trickles in. */
const WAITING_LIMIT = 10_000 / SWEEP_INTERVAL;

/** The same for one on which nothing ever came in, when the service stops. */
const UNUSED_LIMIT = 1_000 / SWEEP_INTERVAL;

/** When the service stops, counted from then: how long a request may take to arrive. Unused connections end before. */
const ARRIVING_LIMIT = 6_500 / SWEEP_INTERVAL;

/** The same, in milliseconds, for answers to be taken. By then everyone else has gone. */
const TAKING_LIMIT = 8_000;

/** In milliseconds: how long those are let in, when the service stops, who have connected and wait for it. */
const ACCEPTING_LIMIT = 1_000;

interface Connection {
  /** To the last request that came. */
  answer?: ServerResponse;
  /** Not sent to their end, in the order of their requests. */
  unfinished: Set<ServerResponse>;
  /** So many sweeps have found it without a request. */
  waiting: number;
}

/** Ends the connections that only cost something, and when drained all of them, none with a request under way. */
export class Connections {
  private readonly open = new Map<net.Socket, Connection>();
  private readonly unread: Unread;
  private accepted = 0;
  private isDraining = false;
  /** Sweeps since then. */
  private drained = 0;
  private readonly upgraded = new Set<net.Socket>();

  /** All clients together leave at most `unreadLimit` bytes unread; `tellTooLate` answers a request that will not be waited for. */
  constructor(
    private readonly server: Server,
    unreadLimit: number,
    private readonly tellTooLate: (response: ServerResponse) => void,
  ) {
    this.unread = new Unread(unreadLimit);
    server.on('connection', (socket) => {
      this.accepted += 1;
      this.unread.follow(socket);
      this.open.set(socket, { unfinished: new Set(), waiting: 0 });
      socket.once('close', () => this.open.delete(socket));
    });
    server.on('upgrade', ({ socket }) => {
      this.open.delete(socket);
      this.upgraded.add(socket);
      socket.once('close', () => this.upgraded.delete(socket));
    });
    const sweeping = setInterval(() => this.sweep(), SWEEP_INTERVAL).unref();
    server.once('close', () => clearInterval(sweeping));
  }

  follow(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.open.get(request.socket);
    if (!connection) return;
    connection.answer = response;
    connection.unfinished.add(response);
    response.once('close', () => connection.unfinished.delete(response));
    connection.waiting = 0;
    whenAnswerBegins(response, () => {
      // Closing while there is more to read or to answer would reset the connection.
      const isRead = request.complete || !hasBody(request);
      const isLast = connection.answer === response;
      const isDue = this.isDraining && isRead && isLast && !response.headersSent;
      if (isDue) response.setHeader('Connection', 'close');
    });
  }

  /** To the last request that came on a connection, sent or not. */
  lastAnswerOn(socket: net.Socket): ServerResponse | undefined {
    return this.open.get(socket)?.answer;
  }

  /** The answer that a connection is waiting for or getting, to whatever request. */
  answerDueOn(socket: net.Socket): ServerResponse | undefined {
    return this.open.get(socket)?.unfinished.values().next().value;
  }

  /**
   * Answers what was asked and takes no new connection. Clients who ask are told to close; the others keep theirs
   * as long as they were promised, for they may be asking. `server.close()` would reset connections that just asked.
   * What cannot end is cut, so that it ends in time whatever clients do.
   */
  async drain(): Promise<void> {
    const cuttingAll = setTimeout(() => this.cutAll(), TAKING_LIMIT);
    await this.acceptWaiting();
    const closed = new Promise((resolve) => this.server.once('close', resolve));
    net.Server.prototype.close.call(this.server);
    this.isDraining = true; // not before: who is told to close connects anew
    await closed;
    clearTimeout(cuttingAll);
  }

  private cutAll(): void {
    for (const socket of [...this.open.keys(), ...this.upgraded]) socket.destroy();
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
    if (this.isDraining) this.drained += 1;
    const isLate = this.drained > ARRIVING_LIMIT;
    for (const [socket, connection] of this.open) {
      const { answer, waiting } = connection;
      connection.waiting = !answer || answer.closed ? waiting + 1 : 0;
      const waitingLimit = this.isDraining && socket.bytesRead === 0 ? UNUSED_LIMIT : WAITING_LIMIT;
      if (connection.waiting > waitingLimit) socket.destroy();
      else if (isLate) this.cutLate(socket, connection);
    }
    this.unread.sweep();
  }

  /** Whose request is still on the way, or who takes nothing of the answer. */
  private cutLate(socket: net.Socket, { unfinished }: Connection): void {
    const [due] = unfinished;
    if (!due || this.unread.isBehind(socket, STUCK_LIMIT)) socket.destroy();
    else if (!due.req.complete && hasBody(due.req)) {
      // What does not read its body may be at work already.
      if (due.headersSent || !due.req.readableDidRead) socket.destroy();
      else this.tellTooLate(due);
    }
  }
}
