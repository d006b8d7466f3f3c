import type { Response } from 'express';
import { FairPlaces } from '../fair-line.js';
import { write } from '../http/writing.js';
import { asRequest } from '../request.js';
import type { LongShape } from './shapes.js';

/** The door counts nobody who is being answered: they share a few of the database's connections, users in turn. */
const READ_AT_A_TIME = 4;

const COMMA = ','.charCodeAt(0);

type Next<Part> = (() => Promise<Part>) | null;

/** The array, without its end as long as there is more to come. */
function textOf<Part>(shape: LongShape<Part>, part: Part): Buffer {
  const text = Buffer.from(JSON.stringify(shape.write(part)));
  return shape.next(part) ? text.subarray(0, -1) : text;
}

/** The same, to follow what has been written. */
function continued(text: Buffer): Buffer {
  if (text.length === '[]'.length) return text.subarray(1);
  text[0] = COMMA;
  return text;
}

/** Sends lists as they are read: with back-pressure, so that neither rows nor text of a whole list are in memory. */
export class LongLists {
  private readonly reading = new FairPlaces(READ_AT_A_TIME);

  /** In milliseconds: how long the database may be asked for one part. */
  constructor(private readonly databaseTime: number) {}

  /** What fails after the first part is to break the answer off. Not async: that would keep the first part. */
  send<Part>(response: Response, shape: LongShape<Part>, first: Part, asker: string): Promise<void> {
    const next = shape.next(first);
    const bytes = textOf(shape, first);
    response.set('Content-Type', 'application/json; charset=utf-8');
    return write(response, bytes).then(() => this.readOn(response, shape, next, asker));
  }

  private async readOn<Part>(
    response: Response,
    shape: LongShape<Part>,
    first: Next<Part>,
    asker: string,
  ): Promise<void> {
    // Nobody reads a list that was asked for by HEAD.
    let next = response.req.method === 'HEAD' ? null : first;
    while (next && !response.closed) {
      const ask = next;
      next = await this.reading
        .hold(asker, async () => (response.closed ? null : asRequest(this.databaseTime, ask, asker)))
        .then((part) => {
          if (!part) return null; // nobody waits any more
          const following = shape.next(part);
          return write(response, continued(textOf(shape, part))).then(() => following);
        });
    }
    response.end();
  }
}
