import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { GraphQLError, OperationTypeNode } from 'graphql';
import { CloseCode, handleProtocols, makeServer, type SubscribeMessage } from 'graphql-ws';
import { type WebSocket, WebSocketServer } from 'ws';
import { invalid, overloaded, Refusal, tooManyAtOnce } from '../../errors.js';
import { addressOf } from '../../http/address.js';
import { isWelcome } from '../../http/headers.js';
import { Receiving } from '../../http/receiving.js';
import { refuseBare } from '../../http/server.js';
import { asVisit, networkOf } from '../../request.js';
import type { Caller } from '../../scopes.js';
import { askerOf, contextOf, endWith, type Identity, whenIdentified } from '../context.js';
import type { Admitted } from '../execution.js';
import { type Operations, refused } from '../operations.js';
import type { GraphqlSettings } from '../settings.js';
import {
  authorizationIn,
  type Client,
  type ClientConnection,
  countHeld,
  type Extra,
  GOING_AWAY,
  OpenOperations,
  OperationTrails,
  SERVICE_RESTART,
  startHeartbeat,
  TOO_MANY,
  TRY_AGAIN_LATER,
  transportOf,
} from './client.js';
import { Interrupted } from './events.js';
import { costOfReading, lineOfOperations, Quota } from './quotas.js';
import { type OperationSlot, OperationSlots } from './slots.js';

/** At a time, on one connection and of one owner on all of them, where subscriptions do not count. */
const MAX_OPERATIONS = 100;

/** In milliseconds, to greet: a busy machine may read the greeting late. */
const GREETING_LIMIT = 15_000;

/** The part of the WebSockets, or of all connections, that may be open without a greeting. */
const SILENT = 1 / 4;

/** In characters: every result repeats the id of its operation. */
const MAX_ID = 255;

/** In milliseconds: how long a client may take to answer a close frame. */
const CLOSING_LIMIT = 2_000;

/** GraphQL over WebSocket, in the protocol `graphql-transport-ws`. */
export class WebSockets {
  private readonly sockets: WebSocketServer;
  private readonly quota: Quota;
  private readonly line = lineOfOperations();
  private readonly slots: OperationSlots;
  private readonly slotOf = new WeakMap<Admitted, OperationSlot>();
  private readonly receiving: Receiving;
  private readonly clients = new Set<Client>();
  /** Those that have not greeted. */
  private readonly silent = new Set<Client>();
  private isClosing = false;

  constructor(
    private readonly operations: Operations,
    private readonly settings: GraphqlSettings,
  ) {
    const { bodyLimit, unfinishedLimit, liveMaxPerUser, liveMaxPerProcess } = settings.config;
    const { maxRequests: limit, atWork, timeouts } = settings.config;
    this.quota = new Quota('WebSockets', liveMaxPerUser, liveMaxPerProcess);
    this.slots = new OperationSlots({ limit, atWork, longestWait: timeouts.longestWait });
    this.receiving = new Receiving(unfinishedLimit);
    const limits = {
      maxPayload: bodyLimit,
      closeTimeout: CLOSING_LIMIT,
      allowSynchronousEvents: false, // otherwise all messages that have arrived would be handled in one turn
    };
    this.sockets = new WebSocketServer({ noServer: true, handleProtocols, ...limits });
    this.sockets.on('headers', (headers, { trail }) => trail && headers.push(`X-Request-Id: ${trail.id}`));
    this.sockets.on('wsClientError', (error, socket) => refuseBare(socket, 400, error.message));
  }

  /** Upgrades bypass Express. */
  attach(server: Server): void {
    const { corsOrigins } = this.settings.config;
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      const refuse = (status: number, message: string) => refuseBare(socket, status, message);
      const isOurs = request.url?.split('?')[0] === '/graphql';
      if (!isOurs) return refuse(404, 'Not found');
      if (this.isClosing) return refuse(503, 'Going away');
      if (!isWelcome(request, corsOrigins)) return refuse(403, 'Pages of this origin are not welcome');
      if (!this.makeRoom()) return refuse(503, 'Too many WebSockets are open');
      this.sockets.handleUpgrade(request, socket, head, (opened) => this.open(opened, request));
    });
  }

  /** The number of operations under way on all WebSockets. */
  get underWay(): number {
    return [...this.clients].reduce((sum, { running }) => sum + running.count, 0);
  }

  /** Waits for operations under way, then closes every connection. */
  async close(): Promise<void> {
    this.isClosing = true;
    await this.slots.settled();
    await this.operations.settled();
    const closed = [...this.sockets.clients].map(
      (socket) => new Promise((resolve) => socket.once('close', resolve)),
    );
    for (const socket of this.sockets.clients) socket.close(GOING_AWAY, 'Going away');
    await Promise.all(closed);
  }

  /**
   * Without room, it sends away who has not greeted for longest, of the address with the most of them: whoever
   * opens many and says nothing shuts nobody out, neither here nor from the connections of the service.
   */
  private makeRoom(): boolean {
    const { liveMaxPerProcess, maxConnections } = this.settings.config;
    const mostSilent = Math.ceil(Math.min(liveMaxPerProcess, maxConnections) * SILENT);
    if (this.clients.size < liveMaxPerProcess && this.silent.size < mostSilent) return true;
    const byOwner = [...Map.groupBy(this.silent, ({ network }) => network).values()];
    const [first] = byOwner.reduce((most, each) => (each.length > most.length ? each : most), []);
    if (!first) return false;
    this.clients.delete(first);
    this.silent.delete(first);
    first.socket.close(TRY_AGAIN_LATER, 'Others need the room');
    first.socket.terminate();
    return true;
  }

  private open(socket: WebSocket, request: IncomingMessage): void {
    const { config, trusts, seen, log } = this.settings;
    socket.on('error', (error) => log.debug({ err: error }, 'A WebSocket failed')); // `close` follows
    countHeld(
      socket,
      request,
      this.receiving.follow(() => {
        socket.close(TRY_AGAIN_LATER, 'Too much is on its way');
        socket.terminate();
      }),
    );
    const stopHeartbeat = startHeartbeat(socket, config.liveHeartbeat);
    const address = addressOf(request, trusts);
    const client: Client = {
      socket,
      address,
      network: networkOf(address),
      running: new OpenOperations(),
      trails: new OperationTrails(request.trail, address, seen),
      userId: null,
      hasToken: false,
      leave: () => {},
    };
    this.clients.add(client);
    this.silent.add(client);
    const closed = this.serve(client);
    socket.once('close', (code, reason) => {
      stopHeartbeat();
      client.leave();
      client.running.end();
      this.clients.delete(client);
      this.silent.delete(client);
      client.trails.allOver();
      closed(code, String(reason)).catch((error) =>
        log.error({ err: error }, 'The cleanup after a WebSocket failed'),
      );
    });
  }

  /** Authenticates the client. Returns false if it is sent away. */
  private authenticate(connection: ClientConnection, client: Client): boolean | Promise<boolean> {
    this.silent.delete(client);
    const authorization = authorizationIn(connection.connectionParams);
    return whenIdentified(this.settings.callers, authorization, ({ caller, refusal }) => {
      if (client.socket.readyState !== client.socket.OPEN) return false;
      if (!refusal) return this.welcome(connection, client, authorization, caller);
      client.socket.close(TRY_AGAIN_LATER, refusal.message);
      return false;
    });
  }

  /** Returns false if the user has too many WebSockets. */
  private welcome(
    connection: ClientConnection,
    client: Client,
    authorization: unknown,
    caller: Caller | null,
  ): boolean {
    const { socket } = client;
    // graphql-ws keeps the parameters as long as the connection, so everything else in them is dropped.
    Object.assign(connection, { connectionParams: { authorization: caller && authorization } });
    client.userId = caller?.userId ?? null;
    client.hasToken = Boolean(authorization);
    client.trails.identified(client.userId);
    try {
      const leave = this.quota.take(client.userId);
      const end = () => socket.close(CloseCode.Unauthorized, 'Unauthorized');
      const cancelEnd = caller ? endWith(caller, this.settings, end) : () => {};
      client.leave = () => {
        leave();
        cancelEnd();
      };
      return true;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      socket.close(TOO_MANY, 'Too many WebSockets of one user');
      return false;
    }
  }

  /** Parsing takes time and many clients may send at once: so only a little is parsed in each turn. */
  private admit(
    connection: ClientConnection,
    { id, payload }: Pick<SubscribeMessage, 'id' | 'payload'>,
    { socket, address, running, trails, userId, hasToken }: Client,
  ): Promise<Admitted | GraphQLError[]> | GraphQLError[] {
    const { callers, trustedDocuments } = this.settings;
    if (id.length > MAX_ID) return [refused(invalid(`An id has at most ${MAX_ID} characters`))];
    if (running.count >= MAX_OPERATIONS) return [tooMany('on one connection')];
    const owner = askerOf({ userId, address });
    const isAwaited = () => id in connection.subscriptions && socket.readyState === socket.OPEN;
    const read = (identity: Identity) => {
      if (this.slots.countOf(owner) >= MAX_OPERATIONS)
        return [tooMany(userId ? 'for one user' : 'without a token from one address')];
      if (!isAwaited() || !this.slots.makeRoomFor(owner)) return [refused(overloaded())];
      const found = trustedDocuments?.documentFor(payload) ?? payload;
      if ('refusal' in found) return [found.refusal];
      const trail = trails.begin(id, userId);
      const arrival = { hasToken, address, wantsPlainJson: true, trail };
      const request = { ...payload, query: found.query };
      // graphql-ws keeps the message as long as the operation, so its large parts are dropped.
      Object.assign(payload, { query: '', variables: null, extensions: null });
      const admitted = this.operations.admit(request, contextOf(identity, arrival));
      if (!Array.isArray(admitted) && admitted.operation.operation !== OperationTypeNode.SUBSCRIPTION)
        this.slotOf.set(admitted, this.slots.enter(owner, isAwaited));
      return admitted;
    };
    const take = (identity: Identity) =>
      this.line.hold(owner, () => read(identity), costOfReading(payload.query.length));
    const begin = async () => {
      const admitted = await whenIdentified(callers, authorizationIn(connection.connectionParams), take);
      const slot = Array.isArray(admitted) ? undefined : this.slotOf.get(admitted);
      if (!slot || (await slot.granted)) return admitted;
      if (!isAwaited()) trails.over(id);
      return [refused(overloaded())];
    };
    return running.wait(begin());
  }

  private run(admitted: Admitted): ReturnType<Operations['run']> {
    const { trail } = admitted.contextValue;
    const slot = this.slotOf.get(admitted);
    const visit = { isAbandoned: () => false, trail, slot };
    const work = asVisit(visit, () => this.operations.run(admitted));
    slot?.endsWith(work);
    return work;
  }

  private serve(client: Client) {
    const { operations } = this;
    const { config, log } = this.settings;
    const { socket, running, trails } = client;
    const protocol = makeServer<Record<string, unknown>, Extra>({
      connectionInitWaitTimeout: GREETING_LIMIT,
      onConnect: (connection) => this.authenticate(connection, client),
      onSubscribe: (connection, id, payload) => this.admit(connection, { id, payload }, client),
      execute: (admitted) => running.follow(this.run(admitted as Admitted)),
      subscribe: (admitted) => running.follow(operations.run(admitted as Admitted)),
      onNext: (_connection, id, _payload, admitted, result) => {
        const answer = operations.formatted(result, admitted as Admitted);
        trails.note(id, answer.errors);
        return answer;
      },
      onComplete: (_connection, id) => trails.over(id),
      onError: (_connection, id, _payload, errors) => {
        if (errors.some((error) => 'originalError' in error && error.originalError instanceof Interrupted)) {
          socket.close(SERVICE_RESTART, 'Changes may have been missed');
        }
        const formatted = operations.formattedErrors(errors as GraphQLError[]);
        trails.note(id, formatted);
        trails.over(id);
        return formatted;
      },
    });
    return protocol.opened(transportOf(socket, config.limits.answer, log), { socket });
  }
}

const tooMany = (where: string) =>
  refused(tooManyAtOnce(`At most ${MAX_OPERATIONS} operations at a time ${where}`));
