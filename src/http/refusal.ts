import type { IncomingMessage, OutgoingHttpHeader, ServerResponse } from 'node:http';
import { overloaded } from '../errors.js';

/** In bytes: the body of a refused request is read up to this size, so that the connection can be reused. */
const SMALL_BODY = 65_536;

/**
 * The answer to a request that is refused for lack of room. Serialised beforehand: Node then sends head and body in
 * one write.
 */
export type Busy = (request: IncomingMessage) => {
  body: string;
  headers?: Record<string, OutgoingHttpHeader>;
};

const { reason, details } = overloaded();

export const isChunked = ({ headers }: IncomingMessage) => 'transfer-encoding' in headers;

const isSmall = (request: IncomingMessage) =>
  !isChunked(request) && Number(request.headers['content-length'] ?? 0) <= SMALL_BODY;

export function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  busy: Busy,
  closes = !isSmall(request),
): void {
  if (request.trail) request.trail.reason = reason;
  const { body, headers } = busy(request);
  response.writeHead(503, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': body.length,
    'Cache-Control': 'no-store',
    'Retry-After': details.retryAfter ?? 1,
    ...(closes && { Connection: 'close' }),
    ...headers,
  });
  response.end(body);
}
