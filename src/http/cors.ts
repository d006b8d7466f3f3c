import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';

/** In seconds: browsers keep the answer to a preflight no longer than this. */
const PREFLIGHT_LIFETIME = '7200';

const allowed = {
  'Access-Control-Allow-Methods': 'GET, POST, PUT',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, Idempotency-Key',
  'Access-Control-Max-Age': PREFLIGHT_LIFETIME,
};

/**
 * Lets pages of these origins, and of no others, read answers. Tokens travel in a header that a page
 * adds by itself: nothing is let in with credentials of the browser's.
 */
export function cors(origins: readonly string[]): RequestHandler {
  if (origins.length === 0) return (_request, _response, next) => next();
  return (request, response, next) => {
    response.vary('Origin');
    const origin = request.get('origin');
    if (origin === undefined || !origins.includes(origin)) return next();
    response.set('Access-Control-Allow-Origin', origin);
    const isPreflight =
      request.method === 'OPTIONS' && request.get('access-control-request-method') !== undefined;
    if (isPreflight) return void response.set(allowed).status(204).end();
    response.set('Access-Control-Expose-Headers', 'Retry-After, Idempotent-Replayed');
    next();
  };
}

/** Browsers open a WebSocket to wherever a page likes, ask for no leave first, and only say whose page it is. */
export function isWelcome({ headers }: IncomingMessage, origins: readonly string[]): boolean {
  const { origin, host } = headers;
  if (origin === undefined || origins.includes(origin)) return true;
  return URL.canParse(origin) && new URL(origin).host === host;
}

/** Headers of an answer that is given without the others: lets the page that asks read it. */
export function readableBy(request: IncomingMessage, origins: readonly string[]): Record<string, string> {
  const { origin } = request.headers;
  if (origin === undefined || !isWelcome(request, origins)) return {};
  return { 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': 'Retry-After' };
}
