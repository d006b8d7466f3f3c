import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { json, type RequestHandler } from 'express';

/** How both faces read a body. What is no UTF-8 would be read as something that nobody sent. */
export const jsonBody = (limit: number): RequestHandler =>
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
