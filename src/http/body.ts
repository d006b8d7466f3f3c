import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json, raw } from 'express';

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
  const readByExpress: BodyReader = json({ limit, strict: false, verify });
  return async (request, response) => {
    const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
    if (request.body !== undefined || (length ?? coding) === undefined) return; // it may have been read before Express
    if (isUsual(request, limit)) {
      request.body = jsonIn(await bytesOf(request));
      return;
    }
    await new Promise<void>((resolve, reject) => {
      readByExpress(request, response, (error) => (error ? reject(error) : resolve()));
    });
  };
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
    const breakOff = () => reject(Object.assign(new Error('Broken off'), { status: 400 }));
    if (request.destroyed) return breakOff(); // it has gone while the token was looked at
    request
      .on('data', (piece: Buffer) => pieces.push(piece))
      .on('end', () => resolve(pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces)))
      .on('close', () => {
        if (!request.readableEnded) breakOff();
      });
  });
}

const BYTE_ORDER_MARK = '\uFEFF';

const notJson = () => Object.assign(new Error('Not JSON'), { status: 400, type: 'entity.parse.failed' });

/** Reads a file as it is, of one of these types. */
export const bytesBody = (limit: number, type: string[]): BodyReader => raw({ limit, type });

function verify(_request: unknown, _response: unknown, body: Buffer, charset: string): void {
  if (charset !== 'utf-8') throw Object.assign(new Error('Not in UTF-8'), { status: 415 });
  assertReadable(body);
}

function assertReadable(body: Buffer): void {
  if (!isUtf8(body)) throw notJson();
}

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
