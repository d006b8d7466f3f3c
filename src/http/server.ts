import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { overloaded, reasonOfStatus } from '../base/errors.js';
import { ERROR_REASON, type Handler } from './answers.js';
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

/** How many requests of a connection may be unanswered: those behind are passed over. */
const MAX_AHEAD = 10;

/** How many are passed over before the connection is cut: each takes memory while an answer is due. */
const MAX_PASSED_OVER = 100;

interface Connection {
  /** The answer to the latest request. */
  answer?: ServerResponse;
  /** Answers that are not sent completely, in the order of their requests. No Set: see docs/performance.md. */
  unfinished: ServerResponse[];
  /** How many requests came after it was full. */
  passedOver: number;
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
      this.open.set(socket, { unfinished: [], passedOver: 0, answeredAt: 0, read: 0 });
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
    const { unfinished } = connection;
    connection.answer = response;
    unfinished.push(response);
    response.on('close', () => {
      unfinished.splice(unfinished.indexOf(response), 1);
      connection.answeredAt = performance.now();
      connection.read = request.socket.bytesRead;
    });
    if (this.isDraining) closeBehind(response);
  }

  /**
   * Whether a request comes after too many that are not answered. The connection then closes behind the last of these,
   * and the client asks again for the rest, as HTTP wants it (RFC 9112, section 9.3.2).
   */
  passesOver({ socket }: IncomingMessage): boolean {
    const connection = this.open.get(socket);
    if (!connection) return false;
    const { unfinished, passedOver } = connection;
    if (passedOver === 0 && unfinished.length < MAX_AHEAD) return false;
    connection.passedOver += 1;
    if (passedOver > MAX_PASSED_OVER) socket.destroy();
    const last = unfinished.at(-1);
    if (passedOver === 0 && last) {
      closeBehind(last);
      last.once('close', () => socket.destroySoon());
    }
    return true;
  }

  /** The answer to the latest request on a connection, whether sent or not. */
  lastAnswerOn(socket: net.Socket): ServerResponse | undefined {
    return this.open.get(socket)?.answer;
  }

  /** The answers that are not completely sent, in the order of their requests. */
  answersDueOn(socket: net.Socket): readonly ServerResponse[] {
    return this.open.get(socket)?.unfinished ?? [];
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
      const last = unfinished.at(-1);
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
    await nextTurn(); // ends the current turn
    for (let before = -1; before < this.accepted && performance.now() < until; ) {
      before = this.accepted;
      await nextTurn();
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

/** What a request is refused with for its form alone, whatever it asks for. */
export type BareRefusal = readonly [status: number, message: string];

export const formRefusals = {
  unreadable: [400, 'The request could not be read'],
  misdirected: [400, 'The Host header is not valid'],
  ambiguous: [400, 'Authorization and Content-Type may be given only once'],
  notFound: [404, 'Not found'],
  late: [408, 'The request took too long to arrive'],
  bodyTooLarge: [413, 'The body is too large'],
  unexpected: [417, 'The expectation cannot be met'],
  headersTooLarge: [431, 'The headers are too large'],
} satisfies Record<string, BareRefusal>;

/**
 * In milliseconds: how long a request may take to arrive. `REQUEST_TIMEOUT` counts only what comes after that. By
 * default Node waits five minutes; an honest client never needs that long.
 *
 * Clients are told to reuse a connection for `keepAliveTimeout`, and a drain waits that long. Many proxies do not
 * listen, and reuse one for a minute: they would meet its closing if it came earlier than that.
 */
const RECEIVING = {
  headersTimeout: 7_000,
  requestTimeout: 12_000,
  keepAliveTimeout: 5_000,
  keepAliveTimeoutBuffer: 70_000,
  connectionsCheckingInterval: 1_000, // each time wakes the process
};

/** In milliseconds: how long the client may take to read a refusal before the connection is cut. */
const LINGER = 1_000;

const { unreadable, misdirected, ambiguous, unexpected } = formRefusals;

/** Errors that Node finds before a request reaches the application, by their code. */
const REFUSALS: Record<string, BareRefusal> = {
  HPE_HEADER_OVERFLOW: formRefusals.headersTooLarge,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: formRefusals.bodyTooLarge,
  ERR_HTTP_REQUEST_TIMEOUT: formRefusals.late,
};

/** Limits of the server. */
export interface HttpLimits {
  /** The maximum number of open connections. */
  connections?: number;
  /** A connection on which nothing moves for this time is closed, though an answer is due on it. */
  silenceMs?: number;
}

/** An HTTP server that can be drained. Every answer is JSON, even to bytes that are not HTTP. */
export function httpServer(
  handler: Handler,
  { connections: maxConnections = Infinity, silenceMs = 0 }: HttpLimits = {},
): { server: Server; connections: Connections } {
  const server = createServer({
    ...RECEIVING,
    requireHostHeader: false, // Node's own answer is not JSON
    shouldUpgradeCallback: (request) =>
      wantsWebSocket(request) &&
      connections.answersDueOn(request.socket).length === 0 &&
      flawIn(request) === undefined,
  });
  server.maxConnections = maxConnections;
  Object.assign(server, { dropMaxConnection: true }); // else the primary would offer it to workers for ever; its types lack it
  server.timeout = silenceMs;
  server.maxHeadersCount = 0; // no limit: their total size is limited, and Node would silently drop headers beyond a number
  const connections = new Connections(server, refuseForRoom);
  const turnedAway = new WeakSet<Socket>();
  /** Refuses, and ignores everything that follows on the connection: it may be meant for another host. */
  const turnAway = (request: IncomingMessage, response: ServerResponse, status: number, message: string) => {
    turnedAway.add(request.socket);
    refuse(response, status, message, true);
  };
  server.on('request', (request, response) => {
    const { socket } = request;
    if (turnedAway.has(socket) || socket.destroyed || connections.passesOver(request)) return;
    const before = connections.answersDueOn(socket).at(-1);
    connections.follow(request, response);
    const serve = () => {
      if (!socket.writable || turnedAway.has(socket)) return;
      const flaw = flawIn(request);
      if (flaw) return turnAway(request, response, ...flaw);
      handler(request, response, (error) => {
        if (!response.headersSent) return refuse(response, ...unreadable);
        console.error(error);
        response.destroy();
      });
    };
    // One after the other, as HTTP wants it for requests that are sent before earlier ones are answered; each in a turn
    // of its own, so that no connection has more than others.
    if (before) before.once('close', () => setImmediate(serve));
    else serve();
  });
  server.on('checkExpectation', (request, response) => {
    if (turnedAway.has(request.socket)) return;
    connections.follow(request, response);
    turnAway(request, response, ...(flawIn(request) ?? unexpected));
  });
  server.on('connect', (request, socket) => {
    if (connections.answersDueOn(request.socket).length > 0) socket.destroy();
    else refuseBare(socket, ...(flawIn(request) ?? formRefusals.notFound));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, duplex) =>
    refuseUnread(connections, error, duplex as Socket),
  );
  return { server, connections };
}

function refuseForRoom(response: ServerResponse): void {
  const { message, details } = overloaded();
  response.setHeader('Retry-After', details.retryAfter ?? 1);
  refuse(response, 503, message, true);
}

/** Answers what Node could not read as a request. */
function refuseUnread(connections: Connections, error: NodeJS.ErrnoException, socket: Socket): void {
  if (socket.writableEnded) return; // already refused
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const answer = connections.lastAnswerOn(socket);
  const [due] = connections.answersDueOn(socket);
  // A refusal must not be taken for the answer to another request.
  if (due && due !== answer)
    return void (due.headersSent ? socket.destroySoon() : due.setHeader('Connection', 'close'));
  if (answer?.headersSent && !(answer.closed && answer.req.complete)) return void socket.destroySoon();
  if (answer?.closed === false && answer.req.complete) return void answer.setHeader('Connection', 'close');
  refuseBare(socket, ...(REFUSALS[error.code ?? ''] ?? unreadable));
}

/** Some clients offer another protocol, such as HTTP/2, with a normal request, and expect a normal answer. */
const wantsWebSocket = ({ method, headers }: IncomingMessage) =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';

/** A host as in RFC 3986, with or without a port. An empty one is allowed too. */
const HOST = /^(?:\[[\da-f:.%\w~-]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/i;

/** Headers of which Node keeps the first where there are two. A proxy in front may have read the second. */
const SINGLE = ['host', 'authorization', 'content-type'];

const SINGLE_LENGTHS = new Set(SINGLE.map(({ length }) => length));

/**
 * Why a request is refused for its headers alone: of two servers in a row, each might understand it differently (RFC
 * 9112, section 3.2). One without a Host is served, though HTTP/1.1 requires it: health checks and tools leave it
 * out, and nothing here depends on it.
 */
function flawIn({ rawHeaders }: IncomingMessage): BareRefusal | undefined {
  const found: Record<string, string | undefined> = {};
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [header = '', value] = [rawHeaders[at], rawHeaders[at + 1]];
    if (!SINGLE_LENGTHS.has(header.length)) continue;
    const name = header.toLowerCase();
    if (!SINGLE.includes(name)) continue;
    if (name in found) return name === 'host' ? misdirected : ambiguous;
    found[name] = value;
  }
  return found.host === undefined || HOST.test(found.host) ? undefined : misdirected;
}

function asJson(status: number, message: string) {
  const body = JSON.stringify({ error: message });
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    [ERROR_REASON]: reasonOfStatus(status),
  };
  return { body, headers };
}

function refuse(response: ServerResponse, status: number, message: string, closes = false): void {
  const { headers, body } = asJson(status, message);
  response.writeHead(status, { ...headers, ...(closes && { Connection: 'close' }) }).end(body);
}

/**
 * Refuses on the socket, where Node has no response object. Reads on for a while, because closing at once could reset
 * the connection before the refusal is read.
 */
export function refuseBare(socket: Duplex, status: number, message: string): void {
  const { headers, body } = asJson(status, message);
  const { trail } = socket;
  if (trail) Object.assign(trail, { status, isStream: false });
  const id = trail && { 'X-Request-Id': trail.id };
  const lines = Object.entries({ ...headers, ...id, Connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  socket.on('error', () => {});
  socket.resume();
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'));
  setTimeout(() => socket.destroy(), LINGER).unref();
}

/** By method and URL, such as `GET /api/tasks/me`. */
export type Shortcuts = Iterable<readonly [methodAndUrl: string, handler: Handler]>;

/**
 * Answers hot requests before Express: finding a route there takes a twentieth of a small request. `before` is what
 * Express does first for all of them. Everything else is for Express, and so is what a shortcut hands on.
 */
export function withShortcuts(express: Handler, before: Handler[], shortcuts: Shortcuts): Handler {
  const handlers = new Map(shortcuts);
  const goOn = () => {};
  return (request, response, next) => {
    const handler = handlers.get(`${request.method} ${request.url}`);
    if (!handler) return express(request, response, next);
    for (const each of before) each(request, response, goOn);
    handler(request, response, () => express(request, response, next));
  };
}
