import { once } from 'node:events';
import { type IncomingMessage, maxHeaderSize, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { type WebSocket, WebSocketServer } from 'ws';
import { invalid, Refusal, tooManyAtOnce } from '../../base/errors.js';
import { Quota } from '../../base/queues/fair-semaphore.js';
import { asVisit, endWork, networkOf, type Visit } from '../../base/request.js';
import { addressOf } from '../../http/address.js';
import { RequestPermit } from '../../http/admission.js';
import { isWelcome } from '../../http/answers.js';
import { type BareRefusal, refuseBare } from '../../http/server.js';
import { begun, noteCaller, noteRoute, seen, type Trail, WEBSOCKET } from '../../telemetry/trail.js';
import { contextIn, endWith, whenIdentified } from '../context.js';
import { isOperation, type OperationRequest } from '../operations.js';
import type { GraphqlSettings } from '../settings.js';
import { inOrder, sendingTo, startHeartbeat, TRY_AGAIN_LATER } from './messages.js';
import type { Pipeline, Receiver } from './pipeline.js';

const PROTOCOL = 'graphql-transport-ws';

/** Why a connection is closed: by the protocol of WebSockets, and by that of GraphQL over them. */
const CLOSE = {
  'Going away': 1001,
  'Changes may have been missed': 1012,
  'Bad request': 4400,
  Unauthorized: 4401,
  'Subprotocol not acceptable': 4406,
  'Connection initialisation timeout': 4408,
  'Subscriber already exists': 4409,
  'Too many initialisation requests': 4429,
  'Too many pings': 4429,
  'Internal server error': 4500,
};

const TOO_MANY = 4429;

/** At a time, on one connection. */
const MAX_OPERATIONS = 100;

/** A busy machine may read the greeting late. */
const GREETING_LIMIT_MS = 15_000;

/** How long a client may take to answer a close frame. */
const CLOSING_LIMIT_MS = 2_000;

/** Every result repeats the id of its operation. */
const MAX_ID_CHARACTERS = 255;

/** In bytes, of a client without an account: it has nothing to follow, and may be one of very many. */
const MAX_UNREAD_OF_STRANGERS = 65_536;

/** GraphQL over WebSocket, in the protocol `graphql-transport-ws`. */
export class WebSockets {
  private readonly sockets: WebSocketServer;
  private readonly quota: Quota;
  private readonly connections = new Set<Connection>();
  private isClosing = false;

  constructor(
    private readonly pipeline: Pipeline,
    private readonly settings: GraphqlSettings,
  ) {
    const { bodyLimit, liveMaxPerUser, liveMaxPerProcess } = settings.config;
    this.quota = new Quota('WebSockets', liveMaxPerUser, liveMaxPerProcess);
    const limits = {
      maxPayload: bodyLimit,
      closeTimeout: CLOSING_LIMIT_MS,
      allowSynchronousEvents: false, // otherwise all messages that have arrived would be handled in one turn
    };
    const handleProtocols = (protocols: Set<string>) => protocols.has(PROTOCOL) && PROTOCOL;
    this.sockets = new WebSocketServer({ noServer: true, handleProtocols, ...limits });
    this.sockets.on('headers', (headers, { trail }) => trail && headers.push(`X-Request-Id: ${trail.id}`));
    this.sockets.on('wsClientError', (error, socket) => refuseBare(socket, 400, error.message));
  }

  /** Upgrades bypass Express. */
  attach(server: Server): void {
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      const refusal = this.refusalOf(request);
      if (refusal) return refuseBare(socket, ...refusal);
      this.sockets.handleUpgrade(request, socket, head, (opened) => {
        const connection = new Connection(opened, request, this.pipeline, this.settings, this.quota);
        this.connections.add(connection);
        opened.once('close', () => this.connections.delete(connection));
        if (opened.protocol !== PROTOCOL) connection.close('Subprotocol not acceptable');
      });
    });
  }

  private refusalOf(request: IncomingMessage): BareRefusal | undefined {
    const { trusts, config } = this.settings;
    if (request.url?.split('?')[0] !== '/graphql') return [404, 'Not found'];
    if (this.isClosing) return [503, 'Going away'];
    if (!isWelcome(request, config.corsOrigins)) return [403, 'Pages of this origin are not welcome'];
    const strangers = this.strangersFrom(networkOf(addressOf(request, trusts)));
    const isFull =
      this.connections.size >= config.liveMaxPerProcess || strangers >= config.liveMaxOfStrangers;
    return isFull ? [503, 'Too many WebSockets are open'] : undefined;
  }

  /** How many from there have no account, or are not yet known to have one. */
  private strangersFrom(network: string): number {
    let count = 0;
    for (const { strangerFrom } of this.connections) if (strangerFrom === network) count += 1;
    return count;
  }

  /** The number of operations under way on all WebSockets. */
  get underWay(): number {
    return [...this.connections].reduce((sum, { underWay }) => sum + underWay.size, 0);
  }

  /** Waits for operations under way, then closes every connection. */
  async close(): Promise<void> {
    this.isClosing = true;
    await Promise.all([...this.connections].map((connection) => connection.hasBegun()));
    const closed = [...this.sockets.clients].map((socket) => once(socket, 'close'));
    for (const connection of this.connections) connection.close('Going away');
    await Promise.all(closed);
  }
}

interface Message {
  type?: unknown;
  id?: unknown;
  payload?: Record<string, unknown> | null;
}

/** One operation: until it is over, though its client may have left it and given its id to another. */
interface UnderWay {
  gone: AbortController;
  /** It is answered, or its subscription is in force. */
  begun: PromiseWithResolvers<void>;
}

class Connection {
  readonly underWay = new Set<UnderWay>();
  /** Those that the client has not left. */
  private readonly byId = new Map<string, AbortController>();
  private readonly address: string;
  private readonly network: string;
  private readonly send: (message: string) => Promise<void>;
  private isGreeted = false;
  /** Undefined until the client is let in. */
  private userId: string | null | undefined;
  private authorization: string | undefined;
  private count = 0;
  private pings = 0;

  constructor(
    private readonly socket: WebSocket,
    private readonly request: IncomingMessage,
    private readonly pipeline: Pipeline,
    private readonly settings: GraphqlSettings,
    private readonly quota: Quota,
  ) {
    const { trusts, log, config } = settings;
    this.address = addressOf(request, trusts);
    this.network = networkOf(this.address);
    this.send = sendingTo(socket, () => (this.userId ? config.limits.answer : MAX_UNREAD_OF_STRANGERS));
    noteCaller(request.trail, null, this.address);
    noteRoute(request, '/graphql');
    const greeting = setTimeout(
      () => this.isGreeted || this.close('Connection initialisation timeout'),
      GREETING_LIMIT_MS,
    );
    startHeartbeat(socket, config.liveHeartbeat);
    socket.on('error', (error) => log.debug({ err: error }, 'A WebSocket failed')); // `close` follows
    socket.once('close', () => {
      clearTimeout(greeting);
      for (const { gone } of this.underWay) gone.abort();
    });
    const take = (message: unknown) => this.take(message).catch((error) => this.fail(error));
    inOrder(socket, () => this.owner, take);
  }

  /** Resolves once all that was asked for before has begun, or has failed. */
  async hasBegun(): Promise<void> {
    await Promise.all([...this.underWay].map(({ begun }) => begun.promise));
    await setImmediate(); // an answer is sent a few ticks later
  }

  private get owner(): string {
    return this.userId ?? this.network;
  }

  /** Its network, until its user is known. */
  get strangerFrom(): string | undefined {
    return this.userId ? undefined : this.network;
  }

  private async take(message: unknown): Promise<void> {
    const { type, id, payload } = (message ?? {}) as Message;
    const hasId = typeof id === 'string' && id !== '';
    if (type === 'connection_init') await this.greet(payload ?? {});
    else if (type === 'ping') await this.answerPing(payload);
    else if (type === 'subscribe' && hasId && isOperation(payload)) await this.subscribe(id, payload);
    else if (type === 'complete' && hasId) this.byId.get(id)?.abort();
    else if (type !== 'pong') this.close('Bad request');
  }

  /** The client is sent away if its token is bad, or its user has too many WebSockets. */
  private async greet(parameters: Record<string, unknown>): Promise<void> {
    const { socket, settings } = this;
    if (this.isGreeted) return this.close('Too many initialisation requests');
    this.isGreeted = true;
    const authorization = authorizationIn(parameters);
    const { caller, refusal } = await whenIdentified(settings.callers, authorization, (found) => found);
    if (socket.readyState !== socket.OPEN) return;
    if (refusal) throw refusal;
    if (authorization && !caller) return this.close('Unauthorized');
    const userId = caller?.userId ?? null;
    noteCaller(this.request.trail, userId, this.address);
    socket.once('close', this.quota.take(userId));
    if (caller)
      socket.once(
        'close',
        endWith(caller, settings, () => this.close('Unauthorized')),
      );
    Object.assign(this, { userId, authorization });
    await this.say({ type: 'connection_ack' });
  }

  /** With `inForce` it is answered once each subscription that was asked for before is in force, or has failed. */
  private async answerPing(payload: Message['payload']): Promise<void> {
    if (payload?.inForce && this.underWay.size > 0) {
      if (this.pings >= MAX_OPERATIONS) return this.close('Too many pings');
      this.pings += 1;
      await this.hasBegun();
      this.pings -= 1;
    }
    await this.say({ type: 'pong', ...(payload && { payload }) });
  }

  private async subscribe(id: string, request: OperationRequest): Promise<void> {
    if (this.userId === undefined) return this.close('Unauthorized');
    if (this.byId.has(id)) return this.close('Subscriber already exists');
    const gone = new AbortController();
    const operation = { gone, begun: Promise.withResolvers<void>() };
    const to: Receiver = {
      gone: gone.signal,
      begin: () => {
        operation.begun.resolve();
        endWork();
      },
      next: (result) => this.say({ id, type: 'next', payload: result }),
      fail: async (errors) => {
        gone.abort(); // nothing more comes, not even `complete`
        await this.say({ id, type: 'error', payload: errors });
      },
      interrupt: () => this.close('Changes may have been missed'),
    };
    const refusal = this.refusalOf(id);
    if (refusal) return this.pipeline.fail(refusal, undefined, to);
    this.count += 1;
    const trail = begun(`${this.request.trail?.id ?? ''}.${this.count}`);
    noteCaller(trail, this.userId, this.address);
    trail.route = '/graphql';
    this.underWay.add(operation);
    this.byId.set(id, gone);
    gone.signal.addEventListener('abort', () => this.byId.delete(id));
    try {
      await this.carry(request, trail, to).catch((error) => this.pipeline.fail(error, trail, to));
      const hasLeft = gone.signal.aborted;
      gone.abort(); // from now on the client may use its id again
      if (!hasLeft) await this.say({ id, type: 'complete' });
    } finally {
      operation.begun.resolve();
      this.underWay.delete(operation);
      this.settings.seen(seen({ trail, method: WEBSOCKET, status: 200 }));
    }
  }

  private refusalOf(id: string): Refusal | undefined {
    if (id.length > MAX_ID_CHARACTERS) return invalid(`An id has at most ${MAX_ID_CHARACTERS} characters`);
    if (this.underWay.size < MAX_OPERATIONS) return undefined;
    return tooManyAtOnce(`At most ${MAX_OPERATIONS} operations at a time on one connection`);
  }

  /** An operation takes its turn among requests before it is parsed. */
  private carry(request: OperationRequest, trail: Trail, to: Receiver): Promise<void> {
    const { callers, semaphore, trusts } = this.settings;
    const { address, authorization } = this;
    const visit: Visit = { isAbandoned: () => false, trail }; // what has begun is carried out as a whole
    return asVisit(visit, async () => {
      const permit = await RequestPermit.in(semaphore, this.owner);
      visit.permit = permit;
      try {
        const identity = await whenIdentified(callers, authorization, (found) => found);
        const hasToken = authorization !== undefined;
        const own = { wantsPlainJson: true, isOnSocket: true, hasToken, cookie: undefined, address, trail };
        const over = this.pipeline.carry(request, contextIn(this.request, identity, trusts, own), to);
        // What is under way keeps its message, so the large parts are dropped.
        Object.assign(request, { query: '', variables: null, extensions: null });
        await over;
      } finally {
        permit.end();
      }
    });
  }

  private fail(error: unknown): void {
    if (error instanceof Refusal) {
      this.socket.close(error.kind === 'throttled' ? TOO_MANY : TRY_AGAIN_LATER, error.message);
    } else {
      this.settings.log.error({ err: error }, 'A message on a WebSocket could not be handled');
      this.close('Internal server error');
    }
  }

  close(why: keyof typeof CLOSE): void {
    this.socket.close(CLOSE[why], why);
  }

  private say(message: object): Promise<void> {
    return this.send(JSON.stringify(message));
  }
}

/** The header among the parameters of a connection, in any spelling. What cannot be one authenticates nobody. */
function authorizationIn(parameters: Record<string, unknown>): string | undefined {
  const name = Object.keys(parameters).find((each) => each.toLowerCase() === 'authorization');
  const given = name && parameters[name];
  if (given === undefined || given === null || given === '') return undefined;
  return typeof given === 'string' && given.length <= maxHeaderSize ? given : 'none that could be sent';
}
