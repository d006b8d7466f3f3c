import { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { letOthersIn } from '../../queues/long-turns.js';
import type { Engine } from './engine.js';

const [STARTUP, SYNC, QUERY, END] = [0, ...Buffer.from('SQX')];

/** In bytes: `ReadyForQuery`, whose last byte is the state of the transaction. */
const READY = 6;
const IDLE = 'I'.charCodeAt(0);

/** A simple query, in PostgreSQL's protocol. */
function query(text: string): Buffer {
  const message = Buffer.from(`Q\0\0\0\0${text}\0`);
  message.writeInt32BE(message.length - 1, 1);
  return message;
}

/** What a client leaves behind that another one does not know of: `pg` counts on a new session. */
const FORGET = ['deallocate all', 'select pg_advisory_unlock_all()'].map(query);

/** In milliseconds: whoever arrived during such a statement is let in before the next. */
const LONG = 10;

/** The one session of the PostgreSQL in this process. It has one client at a time. */
export class Session {
  private isIdle = true;
  private took = 0;

  constructor(private readonly engine: Engine) {}

  /** A stream for a client of `pg`, which takes it for a socket. The stream before it must be destroyed. */
  open(): Duplex {
    return new SessionStream(this);
  }

  /** Resolves when the next statement may be executed: each stops everything else. */
  async pause(): Promise<void> {
    await (this.took > LONG ? letOthersIn() : setImmediate());
  }

  async execute(message: Buffer): Promise<Buffer> {
    const pieces: Buffer[] = [];
    const startedAt = performance.now();
    await this.engine.execProtocolRawStream(message, {
      syncToFs: false, // for browsers: on Node it does nothing
      onRawData: (piece) => pieces.push(Buffer.from(piece)), // its memory is written again at once
    });
    this.took = performance.now() - startedAt;
    const answer = Buffer.concat(pieces);
    if (answer.length >= READY) this.isIdle = answer.at(-1) === IDLE;
    return answer;
  }

  async clear(): Promise<void> {
    if (!this.isIdle) await this.execute(query('rollback'));
    for (const message of FORGET) await this.execute(message);
  }
}

/**
 * PostgreSQL answers a message while it is executed, so it gets what belongs together at once: up to a `Sync`, or a
 * simple query. Each time a turn of the event loop passes before: a queue of statements would block everything else,
 * even refusals and health checks.
 */
class SessionStream extends Duplex {
  private begun: Buffer[] = [];

  constructor(private readonly session: Session) {
    super();
  }

  connect(): this {
    process.nextTick(() => this.emit('connect'));
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  override _read(): void {}

  override _write(message: Buffer, _encoding: string, done: (error?: Error) => void): void {
    this.send([message]).then(() => done(), done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error) => void): void {
    this.send(chunks.map(({ chunk }) => chunk)).then(() => done(), done);
  }

  override _final(done: () => void): void {
    this.push(null);
    done();
  }

  /** `pg` writes each message by itself. */
  private async send(messages: Buffer[]): Promise<void> {
    for (const message of messages) {
      const [type] = message;
      if (type === END) return; // it would end PostgreSQL
      this.begun.push(message);
      if (type !== STARTUP && type !== SYNC && type !== QUERY) continue;
      await this.session.pause();
      if (this.destroyed) return;
      if (type === STARTUP) await this.session.clear();
      const answer = await this.session.execute(Buffer.concat(this.begun.splice(0)));
      this.push(answer);
    }
  }
}
