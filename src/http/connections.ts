import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import net from 'node:net';
import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import { hasBody } from './body.js';
import { whenAnswerBegins } from './writing.js';

/**
 * In milliseconds. Limits are counted in sweeps, so that a stall of the service itself is not held against clients.
 */
const SWEEP_INTERVAL = 500;

/** In sweeps: how far behind with an answer a client may be while the service drains. */
const STUCK_LIMIT = 2_000 / SWEEP_INTERVAL;

/** In sweeps: how long a connection may stay without a first request, even if bytes trickle in. */
const WAITING_LIMIT = 10_000 / SWEEP_INTERVAL;

/** Of the connections that may be open: with more, idle ones are closed as in a drain, so that newcomers find room. */
const NEARLY_ALL = 0.9;

/** In sweeps: how long a drain leaves a connection open that has never sent anything. */
const UNUSED_LIMIT = 1_000 / SWEEP_INTERVAL;

/**
 * In sweeps, from the start of the drain: how long a request may take to arrive. Unused connections are closed
 * earlier.
 */
const ARRIVING_LIMIT = 6_500 / SWEEP_INTERVAL;

/**
 * In milliseconds, from the start of the drain: every connection still open is cut, even if its answer is still being
 * read.
 */
const TAKING_LIMIT = 8_000;

/**
 * In milliseconds, from the start of the drain: how long connections that already wait in the backlog are still
 * accepted.
 */
const ACCEPTING_LIMIT = 1_000;

interface Connection {
  /** The answer to the latest request. */
  answer?: ServerResponse;
  /** Answers that are not sent completely, in the order of their requests. */
  unfinished: Set<ServerResponse>;
  /** Sweeps that have found it without a request. */
  waiting: number;
  /** The bytes that had been read of it when its latest answer was through. */
  read: number;
  /** Whether the last sweep has found more bytes than that. */
  isArriving: boolean;
}

/** Closes idle and stuck connections. A drain closes all of them, each after its last answer. */
export class Connections {
  private readonly open = new Map<net.Socket, Connection>();
  private readonly unread: Unread;
  private accepted = 0;
  private isDraining = false;
  /** Sweeps since the drain began, which is before anybody is told. */
  private drained: number | undefined;
  private readonly upgraded = new Set<net.Socket>();
  /** In sweeps: how long a connection is kept after an answer in any case, which clients are told, and then some. */
  private readonly keptFor: number;

  /**
   * All clients together may leave `unreadLimit` bytes unread. `refuseLate` answers a request that arrives too
   * slowly during a drain.
   */
  constructor(
    private readonly server: Server,
    unreadLimit: number,
    private readonly refuseLate: (response: ServerResponse) => void,
  ) {
    this.unread = new Unread(unreadLimit);
    this.keptFor = (server.keepAliveTimeout + 1_000) / SWEEP_INTERVAL;
    server.on('connection', (socket) => {
      this.accepted += 1;
      this.unread.follow(socket);
      this.open.set(socket, { unfinished: new Set(), waiting: 0, read: 0, isArriving: false });
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
    response.once('close', () => {
      connection.unfinished.delete(response);
      connection.read = request.socket.bytesRead;
    });
    connection.waiting = 0;
    whenAnswerBegins(response, () => {
      // Closing with more to read or to answer would reset the connection.
      const isRead = request.complete || !hasBody(request);
      const isLast = connection.answer === response;
      const isDue = this.isDraining && isRead && isLast && !response.headersSent;
      if (isDue) response.setHeader('Connection', 'close');
    });
  }

  /** The answer to the latest request on a connection, whether sent or not. */
  lastAnswerOn(socket: net.Socket): ServerResponse | undefined {
    return this.open.get(socket)?.answer;
  }

  /** The answer to the earliest request that is not completely answered. */
  answerDueOn(socket: net.Socket): ServerResponse | undefined {
    return this.open.get(socket)?.unfinished.values().next().value;
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
    const cuttingAll = setTimeout(() => this.cutAll(), TAKING_LIMIT);
    this.drained = 0;
    const othersClosed = isPortShared && delay(ACCEPTING_LIMIT, undefined, { ref: false });
    await this.acceptWaiting();
    const closed = new Promise((resolve) => this.server.once('close', resolve));
    net.Server.prototype.close.call(this.server);
    if (othersClosed) await Promise.race([closed, othersClosed]);
    this.isDraining = true;
    await closed;
    clearTimeout(cuttingAll);
  }

  private cutAll(): void {
    for (const socket of [...this.open.keys(), ...this.upgraded]) socket.destroy();
  }

  /**
   * Accepts the backlog: one connection per turn of the event loop. Closing the listener resets those that are left.
   */
  private async acceptWaiting(): Promise<void> {
    const until = performance.now() + ACCEPTING_LIMIT;
    await setImmediate(); // ends the current turn
    for (let before = -1; before < this.accepted && performance.now() < until; ) {
      before = this.accepted;
      await setImmediate();
    }
  }

  private sweep(): void {
    if (this.drained !== undefined) this.drained += 1;
    const isLate = this.drained !== undefined && this.drained > ARRIVING_LIMIT;
    for (const [socket, connection] of this.open) {
      const { answer, waiting } = connection;
      const isArriving = socket.bytesRead > connection.read;
      const hasJustBegun = isArriving && !connection.isArriving; // a request, after an idle time that was allowed
      connection.isArriving = isArriving;
      connection.waiting = (!answer || answer.closed) && !hasJustBegun ? waiting + 1 : 0;
      if (connection.waiting > this.waitingLimitOf(socket, connection)) socket.destroy();
      else if (isLate) this.cutLate(socket, connection);
    }
    this.unread.sweep();
  }

  /** Outside of a drain, and while there is room, Node closes those that lie idle after an answer. */
  private waitingLimitOf({ bytesRead }: net.Socket, { answer, isArriving }: Connection): number {
    if (!this.isDraining) {
      if (!answer || isArriving) return WAITING_LIMIT;
      return this.hasRoom ? Infinity : this.keptFor;
    }
    if (bytesRead === 0) return UNUSED_LIMIT;
    return answer ? this.keptFor : WAITING_LIMIT;
  }

  private get hasRoom(): boolean {
    return this.open.size <= NEARLY_ALL * this.server.maxConnections;
  }

  /** Cuts a connection whose request is still arriving, or whose answer is not being read. */
  private cutLate(socket: net.Socket, { unfinished }: Connection): void {
    const [due] = unfinished;
    if (!due || this.unread.isBehind(socket, STUCK_LIMIT)) socket.destroy();
    else if (!due.req.complete && hasBody(due.req)) {
      // A handler that does not read the body may be at work already.
      if (due.headersSent || !due.req.readableDidRead) socket.destroy();
      else this.refuseLate(due);
    }
  }
}

/** In bytes between two sweeps: the slowest pace that a client may read at, which is 16 kB a second. */
const SLOWEST_PACE = 8_192;

/** In sweeps: how far behind that pace a client may fall. One that reads nothing gets there after 8 seconds. */
const FARTHEST_BEHIND = 16;

interface Reader {
  /** In bytes: the amount buffered for the client at the last look. */
  held: number;
  /** In bytes: the amount that the client had read at the last sweep. */
  taken: number;
  /** In bytes: how far the client was behind the slowest pace at the last sweep. */
  behind: number;
  /** Consecutive sweeps that have found something buffered. */
  sweeps: number;
}

/**
 * Cuts off clients that leave answers unread: each one that reads too slowly; and while all together leave more than
 * `limit` bytes, those that have cost the most. It measures sockets, and so covers every kind of answer, and any
 * number of answers on one connection.
 */
export class Unread {
  private readonly readers = new Map<net.Socket, Reader>();
  /** In bytes: never less than is buffered, since every socket that buffers more is looked at. */
  private total = 0;
  private isReliefDue = false;

  constructor(
    private readonly limit: number,
    private readonly slowestPace = SLOWEST_PACE,
  ) {}

  follow(socket: net.Socket): void {
    const reader = { held: 0, taken: 0, behind: 0, sweeps: 0 };
    this.readers.set(socket, reader);
    socket.once('close', () => {
      this.readers.delete(socket);
      this.total -= reader.held;
    });
    const { write } = socket;
    socket.write = (...data: unknown[]) => {
      const hasRoom: boolean = Reflect.apply(write, socket, data);
      if (!hasRoom) this.look(socket, reader);
      return hasRoom;
    };
  }

  /**
   * Call it at regular intervals. Time is counted in sweeps, so that a stall of the process is not held against
   * clients.
   */
  sweep(): void {
    for (const [socket, reader] of this.readers) {
      this.look(socket, reader);
      if (reader.held === 0) {
        reader.sweeps = 0;
        reader.behind = 0;
        continue;
      }
      const taken = takenFrom(socket);
      const due = reader.sweeps > 0 ? this.slowestPace - (taken - reader.taken) : 0;
      reader.behind = Math.max(0, reader.behind + due); // a client that was fast earlier earns no credit
      reader.taken = taken;
      reader.sweeps += 1;
      if (reader.behind > FARTHEST_BEHIND * this.slowestPace) socket.destroy();
    }
  }

  /** Whether a client is behind the slowest pace by this number of sweeps. */
  isBehind(socket: net.Socket, sweeps: number): boolean {
    return (this.readers.get(socket)?.behind ?? 0) >= sweeps * this.slowestPace;
  }

  private look(socket: net.Socket, reader: Reader): void {
    const held = socket.destroyed ? 0 : socket.writableLength;
    this.total += held - reader.held;
    reader.held = held;
    if (this.total <= this.limit || this.isReliefDue) return;
    this.isReliefDue = true;
    queueMicrotask(() => this.relieve()); // not in the middle of a write
  }

  /** Clients that have held much for long are cut off first. One that has just begun to read has cost little yet. */
  private relieve(): void {
    for (const [socket, reader] of this.readers) this.look(socket, reader);
    if (this.total > this.limit) this.cutOffCostliest();
    this.isReliefDue = false;
  }

  private cutOffCostliest(): void {
    const costOf = ({ held, sweeps }: Reader) => held * (1 + sweeps);
    const byCost = [...this.readers].sort(([, one], [, other]) => costOf(other) - costOf(one));
    for (const [socket, reader] of byCost) {
      if (this.total <= this.limit) return;
      socket.destroy();
      this.look(socket, reader);
    }
  }
}

/** The bytes that have left this process. The stream's own counter includes only complete writes. */
function takenFrom(socket: net.Socket): number {
  const { _handle: handle } = socket as { _handle?: { bytesWritten: number; writeQueueSize: number } };
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0;
}
