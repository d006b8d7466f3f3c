import { maxHeaderSize } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import type { ExecutionResult, GraphQLFormattedError } from 'graphql';
import { CloseCode, type Context as Connection, type WebSocket as Transport } from 'graphql-ws';
import type { Logger } from 'pino';
import type { WebSocket } from 'ws';
import { begun, noteCaller, type Seen, seen, type Trail, WEBSOCKET } from '../../telemetry/trail.js';
import { noteErrors } from '../context.js';
import type { Results } from './subscriptions.js';

/** Why a connection is closed. */
export const GOING_AWAY = 1001;
export const SERVICE_RESTART = 1012;
export const TRY_AGAIN_LATER = 1013;
export const TOO_MANY = 4429;

export interface Extra {
  socket: WebSocket;
}

export type ClientConnection = Connection<Record<string, unknown>, Extra>;

/** The client of a connection, and the cleanup for when it is gone. */
export interface Client {
  socket: WebSocket;
  address: string;
  origin: () => string;
  running: OpenOperations;
  trails: OperationTrails;
  /** Null without a valid token. */
  userId: string | null;
  /** Whether it sent a token, valid or not. */
  hasToken: boolean;
  wantsCost: boolean;
  leave: () => void;
}

/** Stands for what cannot be a header, because of its type or its length. It is kept, so it must be short. */
const NO_HEADER = 'none that could be sent';

/** Finds the header among the parameters of a connection, in any spelling. */
export function authorizationIn(parameters: Record<string, unknown> = {}): string | undefined {
  const name = Object.keys(parameters).find((each) => each.toLowerCase() === 'authorization');
  const authorization = name && parameters[name];
  if (authorization === undefined || authorization === null || authorization === '') return undefined;
  const isPossible = typeof authorization === 'string' && authorization.length <= maxHeaderSize;
  return isPossible ? authorization : NO_HEADER;
}

/**
 * The operations of one connection. graphql-ws tracks them by the ids that clients choose, and loses one whose id is
 * reused before it has begun.
 */
export class OpenOperations {
  private readonly subscriptions = new Set<Results>();
  /** What waits for its turn, and subscriptions that are not in force yet. */
  private readonly beginning = new Set<Promise<unknown>>();
  private executing = 0;
  /** How many pings wait until subscriptions are in force. */
  pings = 0;
  private isEnded = false;

  get count(): number {
    return this.beginning.size + this.executing + this.subscriptions.size;
  }

  async begin<T>(beginning: Promise<T>): Promise<T> {
    this.beginning.add(beginning);
    try {
      return await beginning;
    } finally {
      this.beginning.delete(beginning);
    }
  }

  async execute<T>(execution: Promise<T>): Promise<T> {
    this.executing += 1;
    try {
      return await execution;
    } finally {
      this.executing -= 1;
    }
  }

  async subscribe(subscription: Promise<ExecutionResult | Results>): Promise<ExecutionResult | Results> {
    const result = await this.begin(subscription);
    if (!(Symbol.asyncIterator in result)) return result;
    if (this.isEnded) await result.return();
    else this.add(result);
    return result;
  }

  /** Resolves once each subscription that was asked for before is in force, or has failed. */
  async inForce(): Promise<void> {
    if (this.beginning.size === 0) return;
    this.pings += 1;
    await Promise.allSettled(this.beginning);
    await setImmediate(); // by then those that have had their turn are begun
    await Promise.allSettled(this.beginning);
    this.pings -= 1;
  }

  /** Ends all operations: the connection is closed. */
  end(): void {
    this.isEnded = true;
    for (const results of this.subscriptions) results.return().catch(() => {});
  }

  private add(results: Results): void {
    this.subscriptions.add(results);
    const forget = () => this.subscriptions.delete(results);
    const { next, return: leave } = results;
    results.next = async () => {
      const step = await next.call(results).catch((error: unknown) => {
        forget();
        throw error;
      });
      if (step.done) forget();
      return step;
    };
    results.return = (value) => {
      forget();
      return leave.call(results, value);
    };
  }
}

/** The trails of the operations on one WebSocket. Each has a line of its own in the log when it is over. */
export class OperationTrails {
  private readonly underWay = new Map<string, Trail>();
  private begun = 0;

  constructor(
    /** Of the request that opened the connection. */
    private readonly opening: Trail | undefined,
    private readonly address: string,
    private readonly end: (seen: Seen) => void,
  ) {
    noteCaller(opening, null, address);
    if (opening) opening.route = '/graphql';
  }

  identified(userId: string | null): void {
    noteCaller(this.opening, userId, this.address);
  }

  /** Its id is that of the connection, with a number. */
  begin(id: string, userId: string | null): Trail {
    this.over(id); // the client may use an id again
    this.begun += 1;
    const trail = begun(`${this.opening?.id ?? ''}.${this.begun}`);
    noteCaller(trail, userId, this.address);
    trail.route = '/graphql';
    this.underWay.set(id, trail);
    return trail;
  }

  note(id: string, errors: readonly GraphQLFormattedError[] | undefined): void {
    noteErrors(this.underWay.get(id), errors);
  }

  over(id: string): void {
    const trail = this.underWay.get(id);
    if (!trail) return;
    this.underWay.delete(id);
    this.end(seen({ trail, method: WEBSOCKET, status: 200 }));
  }

  allOver(): void {
    for (const id of this.underWay.keys()) this.over(id);
  }
}

/** The message of graphql-ws for a message type that only a server sends. */
const UNEXPECTED = /Unexpected message of type/;

/** A socket as graphql-ws wants it. */
export function transportOf(socket: WebSocket, answerLimit: number, log: Logger): Transport {
  const fail = (error: unknown) => {
    if (socket.readyState !== socket.OPEN) return;
    if (UNEXPECTED.test(String(error))) return socket.close(CloseCode.BadRequest, 'Bad request');
    log.error({ err: error }, 'A message on a WebSocket could not be handled');
    socket.close(CloseCode.InternalServerError, 'Internal server error');
  };
  return {
    protocol: socket.protocol,
    send: sendingTo(socket, answerLimit),
    close: (code, reason) => socket.close(code, reason),
    onMessage: (receive) =>
      socket.on('message', (message: Buffer) => receive(parsed(message) as string).catch(fail)),
  };
}

/** A client that leaves more messages unread than this is cut off. */
const MAX_UNSENT = 1_000;

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

/**
 * Heartbeat: terminates a client that answers no ping within `interval` milliseconds, because it is gone or does not
 * read. Returns a function that stops it.
 */
export function startHeartbeat(socket: WebSocket, interval: number): () => void {
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

/**
 * Parses the message here: graphql-ws accepts an object too and keeps it as long as the operation, so that parts of
 * it can be dropped.
 */
function parsed(message: Buffer): unknown {
  const text = String(message);
  try {
    return JSON.parse(text);
  } catch {
    return text; // graphql-ws refuses it
  }
}
