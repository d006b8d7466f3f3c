import type { ServerResponse } from 'node:http';
import { write } from '../http/answers.js';
import type { LongSerializer } from './serializer.js';

const COMMA = ','.charCodeAt(0);

/** The part as a JSON array, without the closing bracket if more follows. */
function textOf<Part>(serializer: LongSerializer<Part>, part: Part): Buffer {
  const text = Buffer.from(serializer.write(part));
  return serializer.next(part) ? text.subarray(0, -1) : text;
}

/** Turns the opening bracket of a later part into a comma. */
function continued(text: Buffer): Buffer {
  if (text.length === '[]'.length) return text.subarray(1);
  text[0] = COMMA;
  return text;
}

/**
 * Streams a long list with back-pressure, so that neither the rows nor the text of the whole are ever in memory: a
 * hundred of the longest tasks are eight megabytes. An error after the first part breaks the answer off.
 */
export async function sendLong<Part>(
  response: ServerResponse,
  serializer: LongSerializer<Part>,
  first: Part,
  read: (next: () => Promise<Part>) => Promise<Part>,
): Promise<void> {
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  let next = serializer.next(first);
  await write(response, textOf(serializer, first));
  // HEAD needs no body.
  while (next && !response.closed && response.req.method !== 'HEAD') {
    const part: Part = await read(next);
    next = serializer.next(part);
    await write(response, continued(textOf(serializer, part)));
  }
  response.end();
}
