import { type IncomingMessage, maxHeaderSize } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { type ExecutionResult, type GraphQLError, OperationTypeNode } from 'graphql';
import { CloseCode, type Context as Greeted, makeServer, type SubscribePayload } from 'graphql-ws';
import type { WebSocket } from 'ws';
import { invalid, Refusal, tooManyAtOnce } from '../../base/errors.js';
import { asVisit } from '../../base/request.js';
import { addressOf, originOf } from '../../http/address.js';
import { Place } from '../../http/admission.js';
import { isLargeBody, parsedInTurn } from '../../http/body.js';
import { begun, noteCaller, seen, type Trail, WEBSOCKET } from '../../telemetry/trail.js';
import {
  askerOf,
  asksForCost,
  contextOf,
  endWith,
  type Identity,
  noteErrors,
  whenIdentified,
} from '../context.js';
import type { Admitted } from '../execution.js';
import { type Operations, refused } from '../operations.js';
import type { GraphqlSettings } from '../settings.js';
import { Interrupted } from './events.js';
import type { Quota, Results } from './subscriptions.js';

/** At a time, on one connection. */
const MAX_OPERATIONS = 100;

/** A busy machine may read the greeting late. */
const GREETING_LIMIT_MS = 15_000;

/** Every result repeats the id of its operation. */
const MAX_ID_CHARACTERS = 255;

/** A client that leaves more messages unread than this is cut off. */
const MAX_UNSENT = 1_000;

/** Why a connection is closed. */
const SERVICE_RESTART = 1012;
const TRY_AGAIN_LATER = 1013;
const TOO_MANY = 4429;

/** What is to be carried out, and its place among the requests at work. */
type Begun = Admitted & { place?: Place };

/**
 * One connection. It keeps its operations itself: graphql-ws knows them by the ids that clients choose, and loses one
 * whose id is used again before it has begun.
 */
export class Client {
  /** What waits for its turn, and subscriptions that are not in force yet. */
  private readonly beginning = new Set<Promise<unknown>>();
  private readonly executing = new Set<Promise<unknown>>();
  private readonly subscriptions = new Set<Results>();
  /** Each operation has a line in the log when it is over. */
  private readonly trails = new Map<string, Trail>();
  private readonly address: string;
  private readonly origin: string;
  /** Null without a valid token. */
  private userId: string | null = null;
  private hasToken = false;
  private begun = 0;
  private pings = 0;
  private leave = () => {};

  constructor(
    private readonly socket: WebSocket,
    private readonly request: IncomingMessage,
    private readonly operations: Operations,
    private readonly settings: GraphqlSettings,
    private readonly quota: Quota,
  ) {
    const { trusts, log, config } = settings;
    this.address = addressOf(request, trusts);
    this.origin = originOf(request, trusts);
    noteCaller(request.trail, null, this.address);
    if (request.trail) request.trail.route = '/graphql';
    socket.on('error', (error) => log.debug({ err: error }, 'A WebSocket failed')); // `close` follows
    const stopHeartbeat = startHeartbeat(socket, config.liveHeartbeat);
    const closed = this.serve();
    socket.once('close', (code, reason) => {
      stopHeartbeat();
      this.leave();
      for (const results of this.subscriptions) results.return().catch(() => {});
      for (const id of this.trails.keys()) this.over(id);
      closed(code, String(reason)).catch((error) =>
        log.error({ err: error }, 'The cleanup after a WebSocket failed'),
      );
    });
  }

  get count(): number {
    return this.beginning.size + this.executing.size + this.subscriptions.size;
  }

  /** Resolves once all that was asked for before has begun, or has failed. */
  async hasBegun(): Promise<void> {
    await Promise.allSettled(this.beginning);
    await setImmediate(); // by then those that have had their turn are begun
    await Promise.allSettled(this.beginning);
  }

  private get isOpen(): boolean {
    return this.socket.readyState === this.socket.OPEN;
  }

  private serve() {
    const { operations, socket } = this;
    const protocol = makeServer<Record<string, unknown>>({
      connectionInitWaitTimeout: GREETING_LIMIT_MS,
      onConnect: (greeted) => this.authenticate(greeted),
      onPing: (_greeted, payload) => (payload?.inForce ? this.inForce() : undefined), // the answer says so
      onSubscribe: (greeted, id, payload) => this.admit(greeted, id, payload),
      execute: (begun) => during(this.executing, this.execute(begun as Begun)),
      subscribe: (begun) => during(this.beginning, this.subscribe(begun as Begun)),
      onNext: (_greeted, id, _payload, begun, result) => {
        const answer = operations.formatted(result, begun as Begun);
        noteErrors(this.trails.get(id), answer.errors);
        return answer;
      },
      onComplete: (_greeted, id) => this.over(id),
      onError: (_greeted, id, _payload, errors) => {
        if (errors.some((error) => 'originalError' in error && error.originalError instanceof Interrupted))
          socket.close(SERVICE_RESTART, 'Changes may have been missed');
        const formatted = operations.formattedErrors(errors as GraphQLError[]);
        noteErrors(this.trails.get(id), formatted);
        this.over(id);
        return formatted;
      },
    });
    const { protocol: name } = socket;
    const close = (code?: number, reason?: string) => socket.close(code, reason);
    const send = sendingTo(socket, this.settings.config.limits.answer);
    const onMessage = (receive: (text: string) => Promise<void>) =>
      inOrder(
        socket,
        () => askerOf({ userId: this.userId, address: this.address }),
        (message) => void receive(message).catch((error: unknown) => this.fail(error)),
      );
    return protocol.opened({ protocol: name, send, close, onMessage }, undefined);
  }

  private fail(error: unknown): void {
    if (!this.isOpen) return;
    const isTheirs = UNEXPECTED.test(String(error));
    if (isTheirs) this.socket.close(CloseCode.BadRequest, 'Bad request');
    else this.socket.close(CloseCode.InternalServerError, 'Internal server error');
    if (!isTheirs) this.settings.log.error({ err: error }, 'A message on a WebSocket could not be handled');
  }

  /** False if the client is sent away: its token is bad, or its user has too many WebSockets. */
  private authenticate(greeted: Greeted): boolean | Promise<boolean> {
    const authorization = authorizationIn(greeted.connectionParams);
    const away = (code: number, reason: string) => {
      this.socket.close(code, reason);
      return false;
    };
    const end = () => away(CloseCode.Unauthorized, 'Unauthorized');
    return whenIdentified(this.settings.callers, authorization, ({ caller, refusal }) => {
      if (!this.isOpen) return false;
      if (refusal) return away(TRY_AGAIN_LATER, refusal.message);
      if (authorization && !caller) return end();
      // graphql-ws keeps the parameters as long as the connection, so everything else in them is dropped.
      Object.assign(greeted, { connectionParams: { authorization: caller && authorization } });
      this.userId = caller?.userId ?? null;
      this.hasToken = Boolean(authorization);
      noteCaller(this.request.trail, this.userId, this.address);
      try {
        const leave = this.quota.take(this.userId);
        const cancelEnd = caller ? endWith(caller, this.settings, end) : () => {};
        this.leave = () => {
          leave();
          cancelEnd();
        };
        return true;
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        return away(TOO_MANY, 'Too many WebSockets of one user');
      }
    });
  }

  /** An operation takes its turn among requests before it is parsed. */
  private async admit(
    greeted: Greeted,
    id: string,
    payload: SubscribePayload,
  ): Promise<Begun | readonly GraphQLError[]> {
    if (id.length > MAX_ID_CHARACTERS)
      return [refused(invalid(`An id has at most ${MAX_ID_CHARACTERS} characters`))];
    if (this.count >= MAX_OPERATIONS)
      return [refused(tooManyAtOnce(`At most ${MAX_OPERATIONS} operations at a time on one connection`))];
    const isAbandoned = () => !(id in greeted.subscriptions && this.isOpen);
    const work = () => this.enter(id, payload, authorizationIn(greeted.connectionParams));
    return during(this.beginning, asVisit({ isAbandoned }, work)).catch((error: unknown) => {
      if (error instanceof Refusal) return [refused(error)];
      throw error;
    });
  }

  private async enter(
    id: string,
    payload: SubscribePayload,
    authorization: unknown,
  ): Promise<Begun | GraphQLError[]> {
    const { callers, line } = this.settings;
    const { userId, address } = this;
    const place = await Place.in(line, askerOf({ userId, address }));
    try {
      const admitted = await whenIdentified(callers, authorization, (identity) =>
        this.read(id, payload, identity),
      );
      const isToRun = !Array.isArray(admitted) && !isSubscription(admitted);
      if (isToRun) return Object.assign(admitted, { place });
      place.end();
      return admitted;
    } catch (error) {
      place.end();
      throw error;
    }
  }

  private read(id: string, payload: SubscribePayload, identity: Identity): Admitted | GraphQLError[] {
    const { address, hasToken, origin } = this;
    const wantsCost = asksForCost(this.request.headers);
    const arrival = {
      hasToken,
      isOnSocket: true,
      address,
      origin: () => origin,
      wantsPlainJson: true,
      wantsCost,
    };
    const request = { ...payload };
    // graphql-ws keeps the message as long as the operation, so its large parts are dropped.
    Object.assign(payload, { query: '', variables: null, extensions: null });
    return this.operations.admit(request, contextOf(identity, { ...arrival, trail: this.trailOf(id) }));
  }

  private execute(begun: Begun): ReturnType<Operations['run']> {
    const { place: slot } = begun;
    const { trail } = begun.contextValue;
    const work = () => this.operations.run(begun);
    return asVisit({ isAbandoned: () => false, trail, slot }, work).finally(() => slot?.end());
  }

  private async subscribe(begun: Begun): Promise<ExecutionResult | Results> {
    const results = await this.operations.run(begun);
    if (!(Symbol.asyncIterator in results)) return results;
    this.subscriptions.add(results);
    void results.over.then(() => this.subscriptions.delete(results));
    if (!this.isOpen) await results.return();
    return results;
  }

  /** Resolves once each subscription that was asked for before is in force, or has failed. */
  private async inForce(): Promise<void> {
    if (this.pings >= MAX_OPERATIONS) return this.socket.close(TOO_MANY, 'Too many pings');
    if (this.beginning.size === 0) return;
    this.pings += 1;
    await this.hasBegun();
    this.pings -= 1;
  }

  /** Its id is that of the connection, with a number. */
  private trailOf(id: string): Trail {
    this.over(id); // the client may use an id again
    this.begun += 1;
    const trail = begun(`${this.request.trail?.id ?? ''}.${this.begun}`);
    noteCaller(trail, this.userId, this.address);
    trail.route = '/graphql';
    this.trails.set(id, trail);
    return trail;
  }

  private over(id: string): void {
    const trail = this.trails.get(id);
    if (!trail) return;
    this.trails.delete(id);
    this.settings.seen(seen({ trail, method: WEBSOCKET, status: 200 }));
  }
}

/** Counts the work as long as it goes on. */
async function during<T>(work: Set<Promise<unknown>>, piece: Promise<T>): Promise<T> {
  work.add(piece);
  try {
    return await piece;
  } finally {
    work.delete(piece);
  }
}

const isSubscription = ({ operation }: Admitted) => operation.operation === OperationTypeNode.SUBSCRIPTION;

/** Stands for what cannot be a header, because of its type or its length. It is kept, so it must be short. */
const NO_HEADER = 'none that could be sent';

/** Finds the header among the parameters of a connection, in any spelling. */
function authorizationIn(parameters: Record<string, unknown> = {}): string | undefined {
  const name = Object.keys(parameters).find((each) => each.toLowerCase() === 'authorization');
  const authorization = name && parameters[name];
  if (authorization === undefined || authorization === null || authorization === '') return undefined;
  const isPossible = typeof authorization === 'string' && authorization.length <= maxHeaderSize;
  return isPossible ? authorization : NO_HEADER;
}

/** The message of graphql-ws for a message type that only a server sends. */
const UNEXPECTED = /Unexpected message of type/;

/**
 * Parses the message here: graphql-ws accepts an object too and keeps it as long as the operation, so that parts of
 * it can be dropped. It refuses what is no JSON.
 */
function parsed(message: Buffer): string {
  const text = String(message);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Messages are parsed one after the other; large ones take turns with the bodies of requests. */
export function inOrder(socket: WebSocket, owner: () => string, take: (message: string) => void): void {
  let before: Promise<void> | undefined;
  const isOpen = () => socket.readyState === socket.OPEN;
  const parse = (message: Buffer) => {
    if (isOpen()) take(parsed(message));
  };
  const parseInTurn = async (message: Buffer) => {
    if (!isOpen()) return;
    try {
      await parsedInTurn(message.length, owner(), () => parse(message));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      socket.close(TRY_AGAIN_LATER, error.message);
    }
  };
  socket.on('message', (message: Buffer) => {
    if (!before && !isLargeBody(message.length)) return parse(message);
    socket.pause(); // what has arrived with it waits, too
    const mine = (before ?? Promise.resolve()).then(() => parseInTurn(message));
    before = mine;
    void mine.finally(() => {
      if (before !== mine) return;
      before = undefined;
      socket.resume();
    });
  });
}

/**
 * Back-pressure: resolves when the message has left this process, so that a subscription waits for a slow client. A
 * client that leaves more than `maxUnread` bytes unread and still gets more is cut off.
 */
export function sendingTo(socket: WebSocket, maxUnread: number): (message: string) => Promise<void> {
  let unsent = 0;
  return (message) => {
    if (socket.bufferedAmount > maxUnread || unsent > MAX_UNSENT) socket.terminate();
    return new Promise((resolve, reject) => {
      if (socket.readyState !== socket.OPEN) return resolve();
      unsent += 1;
      socket.send(message, (error) => {
        unsent -= 1;
        if (error) reject(error);
        else resolve();
      });
    });
  };
}

/** Terminates a client that answers no ping within `interval` milliseconds. Returns a function that stops it. */
function startHeartbeat(socket: WebSocket, interval: number): () => void {
  let isAlive = true;
  socket.on('pong', () => {
    isAlive = true;
  });
  const timer = setInterval(() => {
    if (!isAlive) return socket.terminate();
    isAlive = false;
    socket.ping();
  }, interval / 2);
  return () => clearInterval(timer);
}
