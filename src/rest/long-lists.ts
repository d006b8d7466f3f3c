import type { ServerResponse } from 'node:http';
import { write } from '../http/writing.js';
import { Line } from '../queues/line.js';
import { asRequest } from '../request.js';
import type { LongSerializer } from './serializers.js';

/**
 * The maximum number of reads at a time. An answer under way holds no slot of admission, so long lists have a limit of
 * their own, and users take turns.
 */
const READ_AT_A_TIME = 4;

const COMMA = ','.charCodeAt(0);

type Next<Part> = (() => Promise<Part>) | null;

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
 * Streams long lists with back-pressure, so that neither the rows nor the text of a whole list are ever in memory.
 */
export class LongLists {
  private readonly reading = new Line({ size: READ_AT_A_TIME }, null);

  /** In milliseconds: how long each part may send statements. */
  constructor(private readonly databaseTime: number) {}

  /**
   * An error after the first part breaks the answer off. Not async: an async function would keep the first part in
   * memory.
   */
  send<Part>(
    response: ServerResponse,
    serializer: LongSerializer<Part>,
    first: Part,
    asker: string,
  ): Promise<void> {
    const next = serializer.next(first);
    const bytes = textOf(serializer, first);
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    return write(response, bytes).then(() => this.readOn(response, serializer, next, asker));
  }

  private async readOn<Part>(
    response: ServerResponse,
    serializer: LongSerializer<Part>,
    first: Next<Part>,
    asker: string,
  ): Promise<void> {
    // HEAD needs no body.
    let next = response.req.method === 'HEAD' ? null : first;
    while (next && !response.closed) {
      const ask = next;
      next = await this.reading
        .hold(asker, async () => (response.closed ? null : asRequest(this.databaseTime, ask, asker)))
        .then((part) => {
          if (!part) return null; // the client has gone
          const following = serializer.next(part);
          return write(response, continued(textOf(serializer, part))).then(() => following);
        });
    }
    response.end();
  }
}
