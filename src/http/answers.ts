import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request } from 'express';

/** Calls `next` when it cannot route a request, or fails after the answer began. */
export type Handler = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/** The reason of an error, whose body is a sentence for people. */
export const ERROR_REASON = 'Error-Reason';

/** The fields of a body that nobody knows. */
export const IGNORED_FIELDS = 'Ignored-Fields';

/** Back-pressure: resolves when the client has read what was written, or has gone. */
export async function write(response: ServerResponse, data: string | Uint8Array): Promise<void> {
  if (response.closed || response.write(data)) return;
  await new Promise<void>((resolve) => {
    const onTaken = () => {
      response.off('drain', onTaken).off('close', onTaken);
      resolve();
    };
    response.on('drain', onTaken).on('close', onTaken);
  });
}

/** Tells caches that the answer depends on a header of the request. */
export function vary(response: ServerResponse, name: string): void {
  const names = String(response.getHeader('Vary') ?? '');
  if (!names.split(', ').includes(name)) response.setHeader('Vary', names ? `${names}, ${name}` : name);
}

/** As `response.json` of Express, for answers to requests that bypass it too. */
export function endWithJson(response: ServerResponse, status: number, value: object): void {
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  endWith(response, JSON.stringify(value));
}

/**
 * Ends the answer with a text. Written in one piece with the head, it takes one system call. Text in ASCII is copied as
 * it is: for UTF-8, Node makes room three times as large, and for a list of tasks not on the stack any more.
 */
export function endWith(response: ServerResponse, text: string): void {
  const bytes = Buffer.byteLength(text);
  response.setHeader('Content-Length', bytes);
  response.end(text, bytes === text.length ? 'latin1' : 'utf8');
}

/**
 * None enforces https: that is for whoever terminates TLS, and pages must work over plain http in a local network.
 */
const SAFE = [
  ['Content-Security-Policy', "default-src 'none';frame-ancestors 'none'"],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Referrer-Policy', 'no-referrer'],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'SAMEORIGIN'],
] as const;

export const safeHeaders: Handler = (_request, response, next) => {
  for (const [name, value] of SAFE) response.setHeader(name, value);
  next();
};

/** Browsers cache a preflight no longer than this. */
const PREFLIGHT_SECONDS = '7200';

/** What pages of other origins may read of an answer, besides its body. */
const READABLE = `Date, Retry-After, Idempotent-Replayed, ${ERROR_REASON}, ${IGNORED_FIELDS}`;

const SENT = 'Authorization, Content-Type, Idempotency-Key, Graphql-Cost';

const allowedWith = (more: string) => ({
  'Access-Control-Allow-Methods': 'GET, POST, PUT',
  'Access-Control-Allow-Headers': more ? `${SENT}, ${more}` : SENT,
  'Access-Control-Max-Age': PREFLIGHT_SECONDS,
});

/**
 * CORS: lets pages of these origins read answers, and no others. Cookies are not allowed: a page adds the token in a
 * header by itself. `more`: what it may send besides.
 */
export function cors(origins: readonly string[], more = ''): Handler {
  if (origins.length === 0) return (_request, _response, next) => next();
  return (request, response, next) => {
    vary(response, 'Origin');
    const { origin } = request.headers;
    if (origin === undefined || !origins.includes(origin)) return next();
    response.setHeader('Access-Control-Allow-Origin', origin);
    const isPreflight =
      request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;
    if (isPreflight) return void response.writeHead(204, allowedWith(more)).end();
    response.setHeader('Access-Control-Expose-Headers', READABLE);
    next();
  };
}

const allowedToAll = {
  'Access-Control-Allow-Methods': 'GET, POST',
  'Access-Control-Allow-Headers': 'Content-Type',
  'Access-Control-Max-Age': PREFLIGHT_SECONDS,
};

/** For addresses that let in by themselves: every page may read the answers, which no cookie or token changes. */
export const readableByAll: Handler = (request, response, next) => {
  response.setHeader('Access-Control-Allow-Origin', '*');
  if (request.method === 'OPTIONS') return void response.writeHead(204, allowedToAll).end();
  next();
};

/** Browsers open a WebSocket to any host without a preflight; they only send the origin of the page. */
export function isWelcome({ headers }: IncomingMessage, origins: readonly string[]): boolean {
  const { origin, host } = headers;
  if (origin === undefined || origins.includes(origin)) return true;
  return URL.canParse(origin) && new URL(origin).host === host;
}

/** CORS headers for an answer that bypasses the middleware. */
export function readableBy(request: IncomingMessage, origins: readonly string[]): Record<string, string> {
  const { origin } = request.headers;
  if (origin === undefined || !isWelcome(request, origins)) return {};
  return { 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': READABLE };
}

/** How many headers are remembered, and how long one of them may be. Clients send few different ones. */
const MOST_REMEMBERED = 100;
const LONGEST_HEADER = 256;

/** Which of some media types a client prefers. Reading its header takes longer than most parts of a request. */
export class Preference {
  private readonly known = new Map<string, string | false>();

  constructor(private readonly types: string[]) {}

  /** Undefined if the request has to be asked. */
  knownOf({ headers }: IncomingMessage): string | false | undefined {
    return this.known.get(headers.accept ?? '');
  }

  of(request: Request): string | false {
    const { accept = '' } = request.headers;
    const known = this.knownOf(request);
    if (known !== undefined) return known;
    const preferred = request.accepts(this.types) as string | false;
    if (this.known.size < MOST_REMEMBERED && accept.length <= LONGEST_HEADER)
      this.known.set(accept, preferred);
    return preferred;
  }
}
