import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { raw } from 'express';
import { FairSemaphore } from '../base/queues/fair-semaphore.js';
import { currentVisit } from '../base/request.js';

/** A request whose body may have been read, as Express keeps it. */
export type WithBody = IncomingMessage & { body?: unknown };

export type BodyReader = (
  request: WithBody,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/** Reads the body, if there is one, and puts it into `request.body`. */
export type ReadJson = (request: WithBody, response: ServerResponse) => Promise<void>;

/**
 * Reads a body for both APIs. It must be UTF-8: a lenient decoder would turn invalid bytes into text that nobody
 * sent.
 */
export function jsonBody(limit: number): ReadJson {
  const readByExpress = raw({ limit, type: ['application/json'] });
  const read: ReadJson = async (request, response) => {
    const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
    if (request.body !== undefined || (length ?? coding) === undefined) return; // it may have been read before Express
    if (isUsual(request, limit)) {
      request.body = await parsed(await bytesOf(request));
      return;
    }
    if (otherCharset(request)) throw Object.assign(new Error('Not in UTF-8'), { status: 415 });
    const body = await new Promise<unknown>((resolve, reject) => {
      readByExpress(request, response, (error) => (error ? reject(error) : resolve(request.body)));
    });
    if (Buffer.isBuffer(body)) request.body = body.length > 0 ? await parsed(body) : {};
  };
  return (request, response) => {
    const isParsed = currentVisit()?.isParsed;
    return isParsed ? read(request, response).finally(isParsed) : read(request, response);
  };
}

/** In bytes: whatever is in a smaller body, it is parsed in a millisecond or two. */
const LARGE_BODY = 16_384;

export const isLargeBody = (bytes: number): boolean => bytes > LARGE_BODY;

/** Whether the body of a request may be a large one, by its head: packed or in pieces, its length is not known yet. */
export const mayBeLarge = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined ||
  headers['content-encoding'] !== undefined ||
  isLargeBody(Number(headers['content-length'] ?? 0));

/** How long no other large body is parsed after one, in times of what that has taken. */
const REST_AFTER_PARSING = 3;

/**
 * Large bodies are parsed one after the other, owners in turn. Each request keeps its permit; admission bounds how many of
 * them wait here, and the room those on WebSockets, which have none yet. Ordinary ones take a millisecond each.
 */
const parsing = new FairSemaphore({ size: 1, keepsPermit: true, room: 100, longestWaitMs: 2_000 }, null);

/** The service does nothing else while it parses, and anybody may send a body: large ones have a quarter of its time. */
export async function parsedFairly<T>(bytes: number, owner: string, parse: () => T): Promise<T> {
  if (!isLargeBody(bytes)) return parse();
  const release = await parsing.acquire(owner);
  const begunAt = performance.now();
  try {
    return parse();
  } finally {
    setTimeout(release, REST_AFTER_PARSING * (performance.now() - begunAt)).unref();
  }
}

async function parsed(body: Buffer): Promise<unknown> {
  const visit = currentVisit();
  return parsedFairly(body.length, visit?.owner ?? '', () => {
    if (visit?.isAbandoned()) throw brokenOff();
    return jsonIn(body);
  });
}

const USUAL_TYPE = /^application\/json(?:; ?charset=utf-8)?$/i;

/** Neither compressed nor in pieces of unknown length, and of a type that is not spelled in another way. */
function isUsual({ headers }: IncomingMessage, limit: number): boolean {
  const { 'content-length': length, 'content-type': type = '', 'content-encoding': encoding } = headers;
  return Number(length) > 0 && Number(length) <= limit && encoding === undefined && USUAL_TYPE.test(type);
}

/** The JSON value of a body that has been read. */
export function jsonIn(body: Buffer): unknown {
  assertReadable(body);
  try {
    const text = body.toString();
    return JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  } catch {
    throw notJson();
  }
}

/** Does for usual bodies what Express does for all, which takes as long as the rest of a small request. */
function bytesOf(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    const breakOff = () => reject(brokenOff());
    if (request.destroyed) return breakOff(); // it has gone while the token was looked at
    request
      .on('data', (piece: Buffer) => pieces.push(piece))
      .on('end', () => resolve(pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces)))
      .on('close', () => {
        if (!request.readableEnded) breakOff();
      });
  });
}

const brokenOff = () => Object.assign(new Error('Broken off'), { status: 400 });

const BYTE_ORDER_MARK = '\uFEFF';

const notJson = () => Object.assign(new Error('Not JSON'), { status: 400, type: 'entity.parse.failed' });

/** Reads a file as it is, of one of these types. It is not parsed in turn with others, and keeps none of them waiting. */
export function bytesBody(limit: number, type: string[]): BodyReader {
  const read = raw({ limit, type });
  return (request, response, next) => {
    currentVisit()?.isParsed?.();
    read(request, response, next);
  };
}

function otherCharset({ headers }: IncomingMessage): boolean {
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(headers['content-type'] ?? '') ?? [];
  return charset.toLowerCase() !== 'utf-8';
}

function assertReadable(body: Buffer): void {
  if (!isUtf8(body)) throw notJson();
}

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
