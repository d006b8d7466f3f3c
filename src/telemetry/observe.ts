import type { IncomingMessage, Server, ServerResponse } from 'node:http';
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

export const begun = (id: string): Trail => ({ id, startedAt: performance.now() });

/**
 * Gives each request its trail before anything else sees it, and its id to the answer. Calls `end` when the request
 * is over.
 */
export function observe(server: Server, end: (seen: Seen) => void): void {
  const begin = (request: IncomingMessage) => {
    const trail = begun(requestIdOf(request));
    beginRequest(trail, request.method ?? '', request.headers.traceparent);
    request.trail = trail;
    return trail;
  };
  const seen = (request: IncomingMessage, trail: Trail, status: number) => {
    const milliseconds = performance.now() - trail.startedAt;
    endOperation(trail);
    endRequest(trail, request.method ?? '', status);
    end({ trail, method: request.method ?? '', status, milliseconds, request });
  };
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    const trail = begin(request);
    response.setHeader('X-Request-Id', trail.id);
    response.once('close', () =>
      seen(request, trail, response.headersSent ? response.statusCode : CLIENT_GONE),
    );
  };
  server.prependListener('request', onRequest);
  server.prependListener('checkExpectation', onRequest);
  server.prependListener('upgrade', (request: IncomingMessage, socket: Duplex) => {
    const trail = begin(request);
    trail.isStream = true;
    socket.once('close', () => seen(request, trail, trail.status ?? SWITCHED));
  });
}
