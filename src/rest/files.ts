import type { ServerResponse } from 'node:http';
import type { AccountService } from '../accounts/account.service.js';
import type { Clock } from '../clock.js';
import { overloaded } from '../errors.js';
import { type BodyReader, bytesBody, type WithBody } from '../http/body.js';
import { endWith, endWithJson, write } from '../http/writing.js';
import { Line } from '../queues/line.js';
import { asRequest } from '../request.js';
import type { Failed } from './errors.js';
import { type PackedFile, PackedFiles } from './packed-files.js';
import { type Download, IMPORT_TYPES, type Upload } from './route.js';

export interface FileSettings {
  accounts: AccountService;
  clock: Clock;
  /** In bytes. */
  importLimit: number;
  /** In milliseconds: how long one part of a file may send statements. */
  databaseTime: number;
  databasePoolSize: number;
}

/** All parts together have this much time: an account may be large, and nobody else waits for it on a server. */
const PARTS = 10;

/** How many downloads read at a time: each holds a connection meanwhile, of which workers have few. */
const readAtATime = (poolSize: number) => (poolSize < 10 ? 1 : 2);

/** Serves the routes of files. */
export class Files {
  private readonly packed = new PackedFiles();
  private readonly reading: Line;
  private readonly receive: BodyReader;

  constructor(private readonly settings: FileSettings) {
    this.receive = bytesBody(settings.importLimit, [...IMPORT_TYPES]);
    this.reading = new Line({ size: readAtATime(settings.databasePoolSize) }, null);
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
    const sendAll = async (file: PackedFile) => {
      await this.reading.hold(userId, () =>
        asRequest(PARTS * databaseTime, () => this.fill(file, response, route, userId), userId),
      );
      if (response.closed) return void response.end(); // what was read is not whole
      begin();
      for await (const piece of file.unpacked()) {
        if (response.closed) break;
        await write(response, piece);
      }
      response.end(); // also of a client that has gone: it tells admission that the work is over
    };
    await this.packed.use(userId, sendAll, () => response.headersSent && response.destroy());
  }

  private fill(
    file: PackedFile,
    response: ServerResponse,
    { read }: Download,
    userId: string,
  ): Promise<void> {
    return read(userId, async (parts) => {
      while (!response.closed) {
        const part = await asRequest(this.settings.databaseTime, () => parts.next(), userId);
        if (part.done) return file.end();
        await file.add(part.value);
      }
    });
  }

  async take(request: WithBody, response: ServerResponse, route: Upload, userId: string): Promise<void> {
    const { accounts, databaseTime, importLimit } = this.settings;
    const mayBegin = () => accounts.unlessGone(userId, () => route.requireMayBegin(userId));
    await asRequest(databaseTime, mayBegin, userId);
    const file = await this.fileIn(request, response);
    if (file === TOO_LARGE) {
      const error = `The file is too large: at most ${importLimit} bytes`;
      return endWithJson(response, 413, { error });
    }
    const work = () => accounts.unlessGone(userId, () => route.take(userId, file));
    const answer = await asRequest(PARTS * databaseTime, work, userId);
    response.statusCode = route.status;
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    endWith(response, route.answer.write(answer));
  }

  private async fileIn(request: WithBody, response: ServerResponse): Promise<Buffer | typeof TOO_LARGE> {
    return new Promise((resolve, reject) => {
      response.once('close', () => reject(overloaded())); // the rest of the body never comes, and nobody reads this
      this.receive(request, response, (error?: unknown) => {
        if ((error as Failed | undefined)?.status === 413) resolve(TOO_LARGE);
        else if (error) reject(error);
        else if (Buffer.isBuffer(request.body)) resolve(request.body);
        else reject(Object.assign(new Error('Not JSON'), { status: 415 }));
      });
    });
  }
}

const TOO_LARGE = Symbol('too large');
