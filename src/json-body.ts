import { AsyncLocalStorage } from 'node:async_hooks';
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { json, type RequestHandler } from 'express';

/** Of a request among those that are in progress. */
export interface Place {
  leave(): void;
  /** Goes on where there is still a place. */
  comeBack(goOn: () => void): void;
}

const places = new WeakMap<IncomingMessage, Place>();

/** Whoever sends a body slowly is to leave the place for that time. */
export const holdPlace = (request: IncomingMessage, place: Place) => void places.set(request, place);

/** How both faces read a body. What is no UTF-8 would be read as something that nobody sent. */
export function jsonBody(limit: number): RequestHandler {
  const read = reader(limit);
  return (request, response, next) => {
    const place = request.complete ? undefined : places.get(request);
    if (!place) return read(request, response, next);
    const goOn = AsyncLocalStorage.bind(next);
    place.leave();
    read(request, response, (error?: unknown) => place.comeBack(() => goOn(error)));
  };
}

const reader = (limit: number): RequestHandler =>
  json({
    limit,
    strict: false,
    verify: (_request, _response, body, charset) => {
      if (charset !== 'utf-8') throw Object.assign(new Error('Not in UTF-8'), { status: 415 });
      if (!isUtf8(body))
        throw Object.assign(new Error('Not JSON'), { status: 400, type: 'entity.parse.failed' });
    },
  });

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
