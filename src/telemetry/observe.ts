import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { beginRequest, endOperation, endRequest } from './spans.js';
import { requestIdOf, type Trail } from './trail.js';

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

/** Gives whatever begins now its trail, and its span where traces are made. */
export function begun(id: string, method: string, traceparent?: unknown): Trail {
  const trail = { id, startedAt: performance.now() };
  beginRequest(trail, method, traceparent);
  return trail;
}

/** In place of a method, where the bytes were no request. */
const UNREAD = '';

/** Node keeps the address of a connection that has gone only if it was asked for before. */
const rememberAddress = ({ remoteAddress }: Socket) => remoteAddress;

type Over = Omit<Seen, 'milliseconds'>;

/** What is over: ends its spans. */
export function seen({ trail, method, status, request }: Over): Seen {
  endOperation(trail);
  endRequest(trail, method, status);
  const milliseconds = performance.now() - trail.startedAt;
  return { trail, method, status, milliseconds, ...(request && { request }) };
}

/**
 * Gives each request its trail before anything else sees it, and its id to the answer. Calls `end` when the request
 * is over.
 */
export function observe(server: Server, end: (seen: Seen) => void): void {
  const begin = (request: IncomingMessage) => {
    const { method = '', headers } = request;
    const trail = begun(requestIdOf(request), method, headers.traceparent);
    request.trail = trail;
    return { request, method, trail };
  };
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    const begun = begin(request);
    response.setHeader('X-Request-Id', begun.trail.id);
    response.once('close', () =>
      end(seen({ ...begun, status: response.headersSent ? response.statusCode : CLIENT_GONE })),
    );
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
