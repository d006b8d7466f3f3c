import type { IncomingMessage, OutgoingHttpHeader, ServerResponse } from 'node:http';
import { unavailable } from '../errors.js';

/** In bytes: what is read of a refused request, so that its connection can be used again. */
const SMALL_BODY = 65_536;

/** The answer that a request gets where there is no room, as text made beforehand: Node sends it in one piece with the head. */
export type Busy = (request: IncomingMessage) => {
  body: string;
  headers?: Record<string, OutgoingHttpHeader>;
};

const { details } = unavailable('NOT_APPLIED');

export const isChunked = ({ headers }: IncomingMessage) => 'transfer-encoding' in headers;

const isSmall = (request: IncomingMessage) =>
  !isChunked(request) && Number(request.headers['content-length'] ?? 0) <= SMALL_BODY;

export function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  busy: Busy,
  closes = !isSmall(request),
): void {
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
