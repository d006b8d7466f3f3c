import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { GraphQLError, OperationTypeNode } from 'graphql';
import { CloseCode, handleProtocols, makeServer, type SubscribeMessage } from 'graphql-ws';
import { type WebSocket, WebSocketServer } from 'ws';
import { invalid, Refusal, tooManyAtOnce } from '../../errors.js';
import { addressOf, originOf } from '../../http/address.js';
import { Place } from '../../http/admission.js';
import { isWelcome } from '../../http/answers.js';
import { refuseBare } from '../../http/server.js';
import { asVisit } from '../../request.js';
import type { Caller } from '../../scopes.js';
import { askerOf, asksForCost, contextOf, endWith, type Identity, whenIdentified } from '../context.js';
import type { Admitted } from '../execution.js';
import { type Operations, refused } from '../operations.js';
import type { GraphqlSettings } from '../settings.js';
import {
  authorizationIn,
  type Client,
  type ClientConnection,
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
import { Quota } from './quotas.js';

/** At a time, on one connection. */
const MAX_OPERATIONS = 100;

/** A busy machine may read the greeting late. */
const GREETING_LIMIT_MS = 15_000;

/** Every result repeats the id of its operation. */
const MAX_ID_CHARACTERS = 255;

/** How long a client may take to answer a close frame. */
const CLOSING_LIMIT_MS = 2_000;

/** GraphQL over WebSocket, in the protocol `graphql-transport-ws`. */
export class WebSockets {
  private readonly sockets: WebSocketServer;
  private readonly quota: Quota;
  private readonly placeOf = new WeakMap<Admitted, Place>();
  /** What waits to be admitted. */
  private readonly beginning = new Set<Promise<unknown>>();
  private readonly clients = new Set<Client>();
  private isClosing = false;

  constructor(
    private readonly operations: Operations,
    private readonly settings: GraphqlSettings,
  ) {
    const { bodyLimit, liveMaxPerUser, liveMaxPerProcess } = settings.config;
    this.quota = new Quota('WebSockets', liveMaxPerUser, liveMaxPerProcess);
    const limits = {
      maxPayload: bodyLimit,
      closeTimeout: CLOSING_LIMIT_MS,
      allowSynchronousEvents: false, // otherwise all messages that have arrived would be handled in one turn
    };
    this.sockets = new WebSocketServer({ noServer: true, handleProtocols, ...limits });
    this.sockets.on('headers', (headers, { trail }) => trail && headers.push(`X-Request-Id: ${trail.id}`));
    this.sockets.on('wsClientError', (error, socket) => refuseBare(socket, 400, error.message));
  }

  /** Upgrades bypass Express. */
  attach(server: Server): void {
    const { corsOrigins, liveMaxPerProcess } = this.settings.config;
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      const refuse = (status: number, message: string) => refuseBare(socket, status, message);
      const isOurs = request.url?.split('?')[0] === '/graphql';
      if (!isOurs) return refuse(404, 'Not found');
      if (this.isClosing) return refuse(503, 'Going away');
      if (!isWelcome(request, corsOrigins)) return refuse(403, 'Pages of this origin are not welcome');
      if (this.clients.size >= liveMaxPerProcess) return refuse(503, 'Too many WebSockets are open');
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
    await Promise.allSettled(this.beginning);
    await setImmediate(); // by then each of them has been begun
    await this.operations.settled();
    const closed = [...this.sockets.clients].map(
      (socket) => new Promise((resolve) => socket.once('close', resolve)),
    );
    for (const socket of this.sockets.clients) socket.close(GOING_AWAY, 'Going away');
    await Promise.all(closed);
  }

  private open(socket: WebSocket, request: IncomingMessage): void {
    const { config, trusts, seen, log } = this.settings;
    socket.on('error', (error) => log.debug({ err: error }, 'A WebSocket failed')); // `close` follows
    const stopHeartbeat = startHeartbeat(socket, config.liveHeartbeat);
    const address = addressOf(request, trusts);
    const origin = originOf(request, trusts);
    const client: Client = {
      socket,
      address,
      origin: () => origin,
      running: new OpenOperations(),
      trails: new OperationTrails(request.trail, address, seen),
      userId: null,
      hasToken: false,
      wantsCost: asksForCost(request.headers),
      leave: () => {},
    };
    this.clients.add(client);
    const closed = this.serve(client);
    socket.once('close', (code, reason) => {
      stopHeartbeat();
      client.leave();
      client.running.end();
      this.clients.delete(client);
      client.trails.allOver();
      closed(code, String(reason)).catch((error) =>
        log.error({ err: error }, 'The cleanup after a WebSocket failed'),
      );
    });
  }

  /** Authenticates the client. Returns false if it is sent away. */
  private authenticate(connection: ClientConnection, client: Client): boolean | Promise<boolean> {
    const authorization = authorizationIn(connection.connectionParams);
    return whenIdentified(this.settings.callers, authorization, ({ caller, refusal }) => {
      if (client.socket.readyState !== client.socket.OPEN) return false;
      if (!refusal) return this.welcome(connection, client, authorization, caller);
      client.socket.close(TRY_AGAIN_LATER, refusal.message);
      return false;
    });
  }

  /** Returns false if the token is bad, or the user has too many WebSockets. */
  private welcome(
    connection: ClientConnection,
    client: Client,
    authorization: unknown,
    caller: Caller | null,
  ): boolean {
    const { socket } = client;
    const end = () => socket.close(CloseCode.Unauthorized, 'Unauthorized');
    if (authorization && !caller) {
      end();
      return false;
    }
    // graphql-ws keeps the parameters as long as the connection, so everything else in them is dropped.
    Object.assign(connection, { connectionParams: { authorization: caller && authorization } });
    client.userId = caller?.userId ?? null;
    client.hasToken = Boolean(authorization);
    client.trails.identified(client.userId);
    try {
      const leave = this.quota.take(client.userId);
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

  /** An operation takes its turn among requests before it is parsed. */
  private admit(
    connection: ClientConnection,
    { id, payload }: Pick<SubscribeMessage, 'id' | 'payload'>,
    { socket, address, origin, running, trails, userId, hasToken, wantsCost }: Client,
  ): Promise<Admitted | GraphQLError[]> | GraphQLError[] {
    const { callers, line, trustedDocuments } = this.settings;
    if (id.length > MAX_ID_CHARACTERS)
      return [refused(invalid(`An id has at most ${MAX_ID_CHARACTERS} characters`))];
    if (running.count >= MAX_OPERATIONS) return [tooMany()];
    const isAwaited = () => id in connection.subscriptions && socket.readyState === socket.OPEN;
    const read = (identity: Identity) => {
      const found = trustedDocuments?.documentFor(payload) ?? payload;
      if ('refusal' in found) return [found.refusal];
      const trail = trails.begin(id, userId);
      const arrival = { hasToken, address, origin, wantsPlainJson: true, wantsCost, trail };
      const request = { ...payload, query: found.query };
      // graphql-ws keeps the message as long as the operation, so its large parts are dropped.
      Object.assign(payload, { query: '', variables: null, extensions: null });
      return this.operations.admit(request, contextOf(identity, arrival));
    };
    const begin = async () => {
      const enter = () => Place.in(line, askerOf({ userId, address }));
      const place = await asVisit({ isAbandoned: () => !isAwaited() }, enter);
      try {
        const admitted = await whenIdentified(callers, authorizationIn(connection.connectionParams), read);
        const isToRun = !Array.isArray(admitted) && !isSubscription(admitted);
        if (isToRun) this.placeOf.set(admitted, place);
        else place.end();
        return admitted;
      } catch (error) {
        place.end();
        throw error;
      }
    };
    const begun = begin().catch((error: unknown) => {
      if (error instanceof Refusal) return [refused(error)];
      throw error;
    });
    this.beginning.add(begun);
    void begun.finally(() => this.beginning.delete(begun)).catch(() => {});
    return running.begin(begun);
  }

  private run(admitted: Admitted): ReturnType<Operations['run']> {
    const { trail } = admitted.contextValue;
    const slot = this.placeOf.get(admitted);
    const work = asVisit({ isAbandoned: () => false, trail, slot }, () => this.operations.run(admitted));
    const end = () => slot?.end();
    work.then(end, end);
    return work;
  }

  private serve(client: Client) {
    const { operations } = this;
    const { config, log } = this.settings;
    const { socket, running, trails } = client;
    const protocol = makeServer<Record<string, unknown>, Extra>({
      connectionInitWaitTimeout: GREETING_LIMIT_MS,
      onConnect: (connection) => this.authenticate(connection, client),
      onPing: (_connection, payload) => {
        if (!payload?.inForce) return;
        if (running.pings >= MAX_OPERATIONS) return socket.close(TOO_MANY, 'Too many pings');
        return running.inForce(); // the answer says so
      },
      onSubscribe: (connection, id, payload) => this.admit(connection, { id, payload }, client),
      execute: (admitted) => running.execute(this.run(admitted as Admitted)),
      subscribe: (admitted) => running.subscribe(operations.run(admitted as Admitted)),
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

const isSubscription = ({ operation }: Admitted) => operation.operation === OperationTypeNode.SUBSCRIPTION;

const tooMany = () =>
  refused(tooManyAtOnce(`At most ${MAX_OPERATIONS} operations at a time on one connection`));
