import type { IncomingMessage, OutgoingHttpHeader, ServerResponse } from 'node:http';
import { unavailable } from '../errors.js';
import { isWelcome } from './cors.js';

/** In bytes: what is read of a refused request, so that its connection can be used again. */
const SMALL_BODY = 65_536;

export const isChunked = ({ headers }: IncomingMessage) => 'transfer-encoding' in headers;

const isGraphql = ({ url = '' }: IncomingMessage) => /^\/graphql\b/i.test(url);

const { message, details } = unavailable('NOT_APPLIED');
const extensions = { code: 'SERVICE_UNAVAILABLE', ...details };

// As text: Node sends it in one piece with the head.
const restRefusal = JSON.stringify({ error: message });
const graphqlRefusal = JSON.stringify({ errors: [{ message, extensions }] });

const isSmall = (request: IncomingMessage) =>
  !isChunked(request) && Number(request.headers['content-length'] ?? 0) <= SMALL_BODY;

/** Says on either face that there is no room, from text made beforehand. */
export function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  origins: readonly string[],
  closes = !isSmall(request),
): void {
  const { headers } = request;
  const body = isGraphql(request) ? graphqlRefusal : restRefusal;
  const head: Record<string, OutgoingHttpHeader> = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': body.length,
    'Cache-Control': 'no-store',
    'Retry-After': details.retryAfter ?? 1,
  };
  if (closes) head.Connection = 'close';
  if (headers.origin !== undefined && isWelcome(request, origins)) {
    head['Access-Control-Allow-Origin'] = headers.origin;
    head['Access-Control-Expose-Headers'] = 'Retry-After';
  }
  response.writeHead(503, head);
  response.end(body);
}
