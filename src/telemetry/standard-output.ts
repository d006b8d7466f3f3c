import { fstatSync, write, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';
import { systemClock } from '../clock.js';

/** In bytes: lines that wait for whoever reads them. Further ones are left out. */
const MOST = 8 * 1_024 * 1_024;

/**
 * In bytes: what is handed over at a time, in whole lines. Of a pipe the system takes so much at once or not at all
 * (PIPE_BUF), so lines of several workers do not run into each other.
 */
const PIECE = { ofPipe: 4_096, otherwise: 65_536 };

/** In milliseconds, before a write that failed is tried again: exponential backoff, from the first pause to the last. */
const PAUSE = { first: 1, last: 100 };

/** In milliseconds: how long the end of the process waits. */
const LAST_WORDS = 500;

/** Whoever read the lines is gone. */
const GONE = 'EPIPE';

/**
 * Writes the lines of one turn of the event loop together: under load, a system call for each costs as much as the
 * line itself. Never waits for whoever reads them, not even at the end of the process, and keeps no more than `MOST`
 * of what is not read.
 */
export class StandardOutput implements DestinationStream {
  private turn = '';
  /** What is being written. */
  private current = Buffer.alloc(0);
  private readonly waiting: Buffer[] = [];
  private bytes = 0;
  private leftOut = 0;
  private pause = PAUSE.first;
  private state: 'idle' | 'writing' | 'resting' | 'ending' | 'closed' = 'idle';
  /** A write to it returns at once: Node makes pipes so when `process.stdout` is first looked at. */
  private readonly isPipe: boolean;
  private readonly piece: number;

  constructor(private readonly fd = 1) {
    const found = fstatSync(fd);
    this.isPipe = found.isFIFO() || found.isSocket();
    this.piece = this.isPipe ? PIECE.ofPipe : PIECE.otherwise;
    process.once('exit', () => this.end());
  }

  write(line: string): void {
    if (this.turn === '') setImmediate(() => this.endTurn());
    this.turn += line;
    if (this.turn.length > PIECE.otherwise) this.endTurn();
  }

  private endTurn(): void {
    const text = this.turn;
    this.turn = '';
    if (text === '' || this.state === 'closed') return;
    if (this.bytes > MOST) this.leftOut += text.split('\n').length - 1;
    else this.add(text);
    if (this.state === 'idle') this.proceed();
  }

  private add(text: string): void {
    const bytes = Buffer.from(text);
    this.waiting.push(...piecesOf(bytes, this.piece));
    this.bytes += bytes.length;
  }

  private proceed(): void {
    this.state = 'idle';
    if (this.isPipe) this.proceedAtOnce();
    else if (this.fill()) this.proceedLater();
  }

  private proceedLater(): void {
    this.state = 'writing';
    write(this.fd, this.current, (error, written) => {
      if (error) return this.fail(error);
      this.wrote(written);
      this.proceed();
    });
  }

  private proceedAtOnce(): void {
    try {
      while (this.fill()) this.wrote(writeSync(this.fd, this.current));
    } catch (error) {
      this.fail(error as NodeJS.ErrnoException);
    }
  }

  /** Returns whether there is something to write. */
  private fill(): boolean {
    if (this.current.length > 0) return true;
    if (this.waiting.length === 0 && this.leftOut > 0) {
      this.add(warning(`${this.leftOut} lines were left out: nobody had read those before them`));
      this.leftOut = 0;
    }
    let end = 1;
    let size = this.waiting[0]?.length ?? 0;
    for (; size + (this.waiting[end]?.length ?? Number.POSITIVE_INFINITY) <= this.piece; end += 1)
      size += this.waiting[end]?.length ?? 0;
    this.current = Buffer.concat(this.waiting.splice(0, end));
    return this.current.length > 0;
  }

  private wrote(written: number): void {
    this.current = this.current.subarray(written);
    this.bytes -= written;
    this.pause = PAUSE.first;
  }

  /** Tries again later, whether nobody reads or the disk is full. */
  private fail({ code }: NodeJS.ErrnoException): void {
    this.state = code === GONE ? 'closed' : 'resting';
    if (this.state === 'closed') this.waiting.length = 0;
    else setTimeout(() => this.proceed(), this.pause).unref();
    this.pause = Math.min(2 * this.pause, PAUSE.last);
  }

  /** The event loop has ended. What is being written is written on by its thread. */
  private end(): void {
    if (this.state === 'closed') return;
    if (this.state === 'writing') this.current = Buffer.alloc(0);
    this.state = 'ending';
    this.endTurn();
    const until = performance.now() + LAST_WORDS;
    while (performance.now() < until && this.fill()) {
      try {
        this.wrote(writeSync(this.fd, this.current));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === GONE) return;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
      }
    }
  }
}

/** Whole lines. One that is longer is a piece by itself. */
function* piecesOf(bytes: Buffer, most: number): Generator<Buffer> {
  for (let from = 0; from < bytes.length; ) {
    let end = bytes.subarray(from, from + most).lastIndexOf(LINE_BREAK);
    if (end === -1) end = bytes.subarray(from).indexOf(LINE_BREAK);
    const next = end === -1 ? bytes.length : from + end + 1;
    yield bytes.subarray(from, next);
    from = next;
  }
}

const LINE_BREAK = 10;

const warning = (msg: string) => `${JSON.stringify({ level: 40, time: systemClock.now().getTime(), msg })}\n`;
