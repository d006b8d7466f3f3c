import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import type { Clock } from '../base/clock.js';
import { overloaded, tooManyAtOnce } from '../base/errors.js';
import { FairSemaphore } from '../base/queues/fair-semaphore.js';
import { asRequest, endWork } from '../base/request.js';
import { endWith, write } from '../http/answers.js';
import { type BodyReader, bytesBody, type WithBody } from '../http/body.js';
import { endWithError, type Failed, NO_FILE } from './errors.js';
import { type Download, IMPORT_TYPES, type Upload } from './route.js';

/** Whether somebody's account is still there. */
export interface Accounts {
  /** Refuses whose is gone. */
  assertExists(userId: string): Promise<void>;
  /** Whoever finds nothing is told that their account is gone, if that is why. */
  unlessGone<T>(userId: string, work: () => Promise<T>): Promise<T>;
}

export interface FileSettings {
  accounts: Accounts;
  clock: Clock;
  /** In bytes. */
  importLimit: number;
  /** In milliseconds: how long one part of a file may send statements. */
  databaseTime: number;
  databasePoolSize: number;
}

/** All parts together have this much time: an account may be large, and nobody else waits for it on a server. */
const PARTS = 10;

const MEGABYTE = 1_024 * 1_024;

/** Uploads while they arrive and are taken in: one that finds no room is refused at once. */
const TAKEN_BYTES = 64 * MEGABYTE;

/** How many downloads read at a time: each holds a connection meanwhile, of which workers have few. */
const readAtATime = (poolSize: number) => (poolSize < 10 ? 1 : 2);

export const exportUnderWay = () => tooManyAtOnce('An export of this account is under way already', 1);

export const importUnderWay = () => tooManyAtOnce('An import of this account is under way already', 1);

/** Of all exports that are being sent. 100,000 completions are one megabyte, packed. */
const ROOM_BYTES = 64 * MEGABYTE;

/** Serves the routes of files. */
export class Files {
  private readonly exporting = new Set<string>();
  private packedBytes = 0;
  private readonly reading: FairSemaphore;
  private readonly importing = new Set<string>();
  private takenBytes = 0;
  private readonly receive: BodyReader;

  constructor(private readonly settings: FileSettings) {
    this.receive = bytesBody(settings.importLimit, [...IMPORT_TYPES]);
    this.reading = new FairSemaphore({ size: readAtATime(settings.databasePoolSize) }, null);
  }

  /**
   * Everything is read first, in one transaction and at the pace of the database, and then sent at that of the client:
   * however slowly that reads, no connection to the database waits for it.
   */
  async send(response: ServerResponse, route: Download, userId: string): Promise<void> {
    const { accounts, clock, databaseTime } = this.settings;
    const begin = () => {
      response.setHeader('Content-Type', route.type);
      const name = route.name(clock.now().toISOString().slice(0, 10));
      response.setHeader('Content-Disposition', `attachment; filename="${name}"`);
    };
    if (response.req.method === 'HEAD') {
      await asRequest(databaseTime, () => accounts.assertExists(userId), userId);
      begin();
      return void response.end();
    }
    if (this.exporting.has(userId)) throw exportUnderWay();
    this.exporting.add(userId);
    const pieces: Buffer[] = [];
    try {
      await this.reading.withPermit(userId, () =>
        asRequest(PARTS * databaseTime, () => this.fill(pieces, response, route, userId), userId),
      );
      if (response.closed) return; // what was read is not whole
      begin();
      endWork();
      for await (const part of Readable.from(pieces).pipe(createGunzip())) await write(response, part);
      response.end();
    } catch (error) {
      if (!response.closed) throw error;
    } finally {
      this.exporting.delete(userId);
      for (const { length } of pieces) this.packedBytes -= length;
      if (response.closed) endWork(); // a client that has gone is never answered
    }
  }

  /** Packs what is read. */
  private async fill(
    pieces: Buffer[],
    response: ServerResponse,
    { read }: Download,
    userId: string,
  ): Promise<void> {
    const gzip = createGzip({ level: 1 }).on('data', (piece: Buffer) => {
      pieces.push(piece);
      this.packedBytes += piece.length;
    });
    await read(userId, async (parts) => {
      while (!response.closed) {
        if (this.packedBytes > ROOM_BYTES) throw overloaded();
        const part = await asRequest(this.settings.databaseTime, () => parts.next(), userId);
        if (part.done) break;
        if (part.value !== '' && !gzip.write(part.value)) await once(gzip, 'drain');
      }
    });
    gzip.end();
    await once(gzip, 'end');
  }

  async take(request: WithBody, response: ServerResponse, route: Upload, userId: string): Promise<void> {
    const { 'content-length': length, 'content-encoding': encoding } = request.headers;
    const said = encoding === undefined && length !== undefined ? Number(length) : Infinity;
    const bytes = Math.min(said, this.settings.importLimit);
    if (this.importing.has(userId)) throw importUnderWay();
    if (this.takenBytes > 0 && this.takenBytes + bytes > TAKEN_BYTES) throw overloaded();
    this.importing.add(userId);
    this.takenBytes += bytes;
    try {
      await this.takeIn(request, response, route, userId);
    } finally {
      this.importing.delete(userId);
      this.takenBytes -= bytes;
    }
  }

  private async takeIn(
    request: WithBody,
    response: ServerResponse,
    route: Upload,
    userId: string,
  ): Promise<void> {
    const { accounts, databaseTime, importLimit } = this.settings;
    const query = new URLSearchParams(/\?(.*)/.exec(request.url ?? '')?.[1]);
    const mayBegin = () => accounts.unlessGone(userId, () => route.requireMayBegin(userId, query));
    await asRequest(databaseTime, mayBegin, userId);
    const file = await this.fileIn(request, response);
    if (file === TOO_LARGE) {
      return endWithError(response, 413, `The file is too large: at most ${importLimit} bytes`);
    }
    if (file === undefined) return endWithError(response, 415, NO_FILE);
    const work = () => accounts.unlessGone(userId, () => route.take(userId, file, query));
    const answer = await asRequest(PARTS * databaseTime, work, userId);
    response.statusCode = route.status;
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    endWith(response, route.answer.write(answer));
  }

  private async fileIn(
    request: WithBody,
    response: ServerResponse,
  ): Promise<Buffer | typeof TOO_LARGE | undefined> {
    return new Promise((resolve, reject) => {
      response.once('close', () => reject(overloaded())); // the rest of the body never comes, and nobody reads this
      this.receive(request, response, (error?: unknown) => {
        if ((error as Failed | undefined)?.status === 413) resolve(TOO_LARGE);
        else if (error) reject(error);
        else resolve(Buffer.isBuffer(request.body) ? request.body : undefined);
      });
    });
  }
}

const TOO_LARGE = Symbol('too large');
