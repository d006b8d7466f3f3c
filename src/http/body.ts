import { AsyncLocalStorage } from 'node:async_hooks';
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json, raw } from 'express';
import { currentVisit } from '../request.js';
import { PIECE, stopReading } from './receiving.js';

/** A request whose body may have been read, as Express keeps it. */
export type WithBody = IncomingMessage & { body?: unknown };

type Next = (error?: unknown) => void;

export type BodyReader = (request: WithBody, response: ServerResponse, next: Next) => void;

/** The maximum number of pieces a body may arrive in: handling one costs as much as a thousand bytes. */
const maxPiecesOf = (limit: number) => Math.max(10_000, limit / 100);

/**
 * Reads a body for both APIs. It must be UTF-8: a lenient decoder would turn invalid bytes into text that nobody
 * sent.
 */
export function jsonBody(limit: number): BodyReader {
  const read = leavingSlot(limit, json({ limit, strict: false, verify }));
  return (request, response, next) => {
    if (request.body !== undefined) return next(); // read already, before Express
    if (isWhole(request, limit)) return readWhole(request, next);
    read(request, response, next);
  };
}

/** Reads a file as it is, of one of these types. */
export const bytesBody = (limit: number, types: string[]): BodyReader =>
  leavingSlot(limit, raw({ limit, type: types }));

/** A body that is still arriving holds no slot. */
function leavingSlot(limit: number, read: BodyReader): BodyReader {
  return (request, response, next) => {
    const slot = request.complete ? undefined : currentVisit()?.slot;
    if (!slot) return read(request, response, next);
    const goOn = AsyncLocalStorage.bind(next);
    slot.leave();
    let isRead = false;
    const comeBack = (error?: unknown) => {
      if (isRead) return;
      isRead = true;
      slot.hold(0);
      slot.comeBack(() => goOn(error));
    };
    read(request, response, comeBack);
    const refuse = () => {
      if (isRead || response.headersSent) return;
      stopReading(request.socket);
      response.setHeader('Connection', 'close');
      comeBack(Object.assign(new Error('In too many pieces'), { status: 413, type: 'entity.too.large' }));
    };
    if (!isRead) countHeld(request, limit, (bytes) => !isRead && slot.hold(bytes), refuse);
  };
}

/** Other types and spellings are for the parser of Express. */
const USUAL_TYPE = /^application\/json(?:; ?charset=utf-8)?$/i;

/** Whether the body is of the usual kind and has arrived already: then no listeners are needed to read it. */
export function isWhole(request: IncomingMessage, limit: number): boolean {
  const { 'content-length': announced, 'content-type': type, 'content-encoding': encoding } = request.headers;
  const length = Number(announced);
  const isHere = request.complete && length > 0 && request.readableLength === length;
  return isHere && length <= limit && encoding === undefined && USUAL_TYPE.test(type ?? '');
}

/** Does what the parser of Express does. */
export function readWhole(request: WithBody, next: Next): void {
  let error: unknown;
  try {
    const bytes: Buffer = request.read();
    assertReadable(bytes);
    const text = bytes.toString();
    request.body = parsed(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  } catch (problem) {
    error = problem;
  }
  next(error);
}

const BYTE_ORDER_MARK = '\uFEFF';

function parsed(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch {
    throw notJson();
  }
}

const notJson = () => Object.assign(new Error('Not JSON'), { status: 400, type: 'entity.parse.failed' });

function assertReadable(body: Buffer): void {
  if (!isUtf8(body)) throw notJson();
  if (isHeavy(body))
    throw Object.assign(new Error('Too many values'), { status: 413, type: 'entity.too.large' });
}

function countHeld(
  request: IncomingMessage,
  limit: number,
  hold: (bytes: number) => void,
  refuse: () => void,
): void {
  const { 'content-encoding': encoding = 'identity', 'content-length': announced = 0 } = request.headers;
  const isPacked = encoding.toLowerCase() !== 'identity';
  if (isPacked)
    hold(limit); // a few compressed bytes may unpack to that much
  else if (Number(announced) > limit) return; // too long: discarded as it arrives, and never held
  const maxPieces = maxPiecesOf(limit);
  let length = 0;
  let pieces = 0;
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    pieces += 1;
    if (pieces > maxPieces) refuse();
    else if (!isPacked) hold(length > limit ? 0 : length + pieces * PIECE);
  });
}

function verify(_request: unknown, _response: unknown, body: Buffer, charset: string): void {
  if (charset !== 'utf-8') throw Object.assign(new Error('Not in UTF-8'), { status: 415 });
  assertReadable(body);
}

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/**
 * The maximum number of objects, lists and members in a JSON text. Brackets take fifty times as long to parse as the
 * same bytes in a string.
 */
const MAX_VALUES = 60_000;

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, OPEN_OBJECT] = [...'"\\,[{'].map((sign) => sign.charCodeAt(0));

/** Tells from the bytes alone whether parsing a JSON text would block the event loop. */
export function isHeavy(text: Uint8Array): boolean {
  if (text.length <= MAX_VALUES) return false;
  let values = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index += 1) {
    const byte = text[index];
    if (isInString && byte === BACKSLASH) index += 1;
    else if (byte === QUOTE) isInString = !isInString;
    else if (!isInString && (byte === COMMA || byte === OPEN_LIST || byte === OPEN_OBJECT)) values += 1;
  }
  return values > MAX_VALUES;
}
