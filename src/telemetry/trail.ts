import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import type { Reason } from '../base/errors.js';

/** What is noted about a request on its way, for its line in the log and its metrics. */
export interface Trail {
  /** The request id: taken from `X-Request-Id` when well formed, else made. */
  id: string;
  /** In milliseconds, on the steady clock. */
  startedAt: number;
  /** The template from the route table, such as `/api/tasks/:taskId`; undefined where nothing is found. */
  route?: string;
  /** By its token, or the account that a log-in was for; null if neither is there. */
  userId?: string | null;
  address?: string;
  operation?: OperationTrail;
  /** Why it was refused. */
  reason?: Reason;
  /** Of a GraphQL error. */
  code?: string;
  /** What a browser is told at the page that it is sent on to. */
  notice?: string;
  /** Of an answer that bypasses Node's response: on a refused upgrade. */
  status?: number;
  /** Whether the answer goes on until the client leaves. */
  isStream?: boolean;
}

/** A GraphQL operation whose document is valid. */
export interface OperationTrail {
  type: 'query' | 'mutation' | 'subscription';
  /** Chosen by the client: for the log only. */
  name: string | undefined;
  rootFields: readonly string[];
  /** Whether it took the fast path. */
  isFast: boolean;
}

declare module 'node:http' {
  interface IncomingMessage {
    trail?: Trail;
  }
}

declare module 'node:stream' {
  interface Duplex {
    /** Of what has no answer of Node's: an upgrade, a tunnel, or bytes that are no request. */
    trail?: Trail;
  }
}

const WELL_FORMED = /^[A-Za-z0-9._-]{1,64}$/;

/** A client's own id would otherwise forge log lines, or fill them. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && WELL_FORMED.test(given) ? given : randomUUID();
}

/** `userId` null: without a valid token. */
export function noteCaller(trail: Trail | undefined, userId: string | null, address?: string): void {
  if (!trail) return;
  trail.userId = userId;
  if (address !== undefined) trail.address = address;
}

export function noteRoute({ trail }: IncomingMessage, template: string): void {
  if (trail) trail.route = template;
}

export type LoggedRequests = 'all' | 'errors' | 'none';

export interface RequestLogSettings {
  logs: LoggedRequests;
  addressOf: (request: IncomingMessage) => string;
  log: Logger;
}

/** Names of operations are chosen by clients. */
const LONGEST_NAME_CHARACTERS = 100;

/** How many root fields are named. */
const MOST_FIELDS = 10;

/** How many refusals for lack of room are logged in a second. More would make the overload worse. */
const REFUSALS_A_SECOND = 10;

/**
 * One line a request. Everything in it comes from the route table, the schema, Node's list of methods or a check:
 * nothing secret, nothing forged.
 */
export function requestLog({ logs, addressOf, log }: RequestLogSettings): (seen: Seen) => void {
  const surplus = new Surplus((count) => log.info({ count }, 'More requests were refused for lack of room'));
  if (logs === 'none' || !log.isLevelEnabled('info')) return () => {};
  return (seen) => {
    const outcome = outcomeOf(seen);
    if (logs === 'errors' && outcome === 'OK') return;
    if (outcome === 'OVERLOADED' && surplus.isOver()) return;
    const { trail, method, status, milliseconds, request } = seen;
    const { id, route, userId, operation } = trail;
    const line = {
      request: id,
      method: method || undefined,
      route,
      status,
      ms: Math.round(milliseconds * 10) / 10,
      user: userId ?? undefined,
      address: trail.address ?? (request && addressOf(request)),
      ...(operation && {
        operation: operation.type,
        name: operation.name?.slice(0, LONGEST_NAME_CHARACTERS),
        fields: operation.rootFields.slice(0, MOST_FIELDS),
      }),
      outcome,
    };
    log.info(line, 'Request');
  };
}

function outcomeOf({ status, trail: { reason, code, notice } }: Seen): string {
  const refusal = reason ?? code ?? notice;
  if (refusal) return refusal;
  return status < 400 ? 'OK' : status === CLIENT_GONE ? 'CLIENT_GONE' : 'REFUSED';
}

/** Tells once a second how many were beyond the number that is logged. */
class Surplus {
  private second = 0;
  private logged = 0;
  private surplus = 0;

  constructor(private readonly notify: (count: number) => void) {}

  isOver(): boolean {
    const second = Math.floor(performance.now() / 1_000);
    if (second !== this.second) Object.assign(this, { second, logged: 0 });
    if (this.logged < REFUSALS_A_SECOND) {
      this.logged += 1;
      return false;
    }
    if (this.surplus === 0) setTimeout(() => this.report(), 1_000).unref();
    this.surplus += 1;
    return true;
  }

  private report(): void {
    this.notify(this.surplus);
    this.surplus = 0;
  }
}

/** A request that is over, or one operation on a WebSocket. */
export interface Seen {
  trail: Trail;
  method: string;
  /** 499 if the client went before the answer began. */
  status: number;
  milliseconds: number;
  /** Undefined for an operation on a WebSocket. */
  request?: IncomingMessage;
}

/** The status of the log for a client that has gone. Many proxies use it too. */
export const CLIENT_GONE = 499;

const SWITCHED = 101;

/** In place of a method, for an operation on a WebSocket. */
export const WEBSOCKET = 'WEBSOCKET';

/** Gives whatever begins now its trail. */
export const begun = (id: string): Trail => ({ id, startedAt: performance.now() });

/** In place of a method, where the bytes were no request. */
const UNREAD = '';

/** Node keeps the address of a connection that has gone only if it was asked for before. */
const rememberAddress = ({ remoteAddress }: Socket) => remoteAddress;

type Over = Omit<Seen, 'milliseconds'>;

export function seen({ trail, method, status, request }: Over): Seen {
  const milliseconds = performance.now() - trail.startedAt;
  return { trail, method, status, milliseconds, ...(request && { request }) };
}

/**
 * Gives each request its trail before anything else sees it, and its id to the answer. Calls `end` when the request
 * is over.
 */
export function observe(server: Server, end: (seen: Seen) => void): void {
  const begin = (request: IncomingMessage) => {
    const { method = '' } = request;
    const trail = begun(requestIdOf(request));
    request.trail = trail;
    return { request, method, trail };
  };
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    const { method, trail } = begin(request);
    response.setHeader('X-Request-Id', trail.id);
    response.on('close', () => {
      const status = response.headersSent ? response.statusCode : CLIENT_GONE;
      end(seen({ request, method, trail, status }));
    });
  };
  server.prependListener('request', onRequest);
  server.prependListener('checkExpectation', onRequest);
  const onTunnel = (accepted: number) => (request: IncomingMessage, socket: Duplex) => {
    const begun = begin(request);
    socket.trail = begun.trail;
    begun.trail.isStream = true;
    socket.once('close', () => end(seen({ ...begun, status: begun.trail.status ?? accepted })));
  };
  server.prependListener('upgrade', onTunnel(SWITCHED));
  server.prependListener('connect', onTunnel(CLIENT_GONE)); // none is accepted
  server.prependListener('clientError', (_error, socket) => {
    if (socket.trail) return;
    const { remoteAddress: address = '' } = socket as Socket;
    const trail: Trail = { id: randomUUID(), startedAt: performance.now(), address };
    socket.trail = trail;
    socket.once('close', () => {
      if (trail.status !== undefined) end(seen({ trail, method: UNREAD, status: trail.status }));
    });
  });
  server.prependListener('connection', rememberAddress);
}
