import { writeSync } from 'node:fs';
import pino, { type DestinationStream, type Logger } from 'pino';
import { systemClock } from '../clock.js';
import type { Config } from '../config.js';
import { currentVisit } from '../request.js';
import { asText } from './readable.js';

/** In characters: clients choose some words in messages. */
const LONGEST = { message: 2_000, stack: 10_000 };

const terminal = { write: (line: string) => void process.stdout.write(asText(line)) };

/** Errors of the database contain statements and rows, and with them e-mails and password hashes. */
export function withoutData(error: unknown): Record<string, unknown> & { stack?: string } {
  if (!(error instanceof Error)) return { type: typeof error };
  const { name, message, stack = '', code, constraint } = error as Error & Record<string, unknown>;
  const safeMessage = withoutValues(message, String(code)).slice(0, LONGEST.message);
  return {
    type: name,
    message: safeMessage,
    stack: `${name}: ${safeMessage}${framesOf(stack, message)}`.slice(0, LONGEST.stack),
    code,
    constraint,
  };
}

/**
 * From the second line on, MikroORM prints whole rows. For data that cannot be read (class 22), PostgreSQL quotes the
 * value.
 */
function withoutValues(message: string, code: string): string {
  const [firstLine = ''] = message.split('\n');
  return code.startsWith('22') ? firstLine.replace(/".*/, '"…') : firstLine;
}

/**
 * The stack frames, searched for after the message, because a client may have put text that looks like a frame into
 * it.
 */
function framesOf(stack: string, message: string): string {
  const after = stack.slice(Math.max(stack.indexOf(message), 0) + message.length);
  return /\n {4}at [\s\S]*/.exec(after)?.[0] ?? '';
}

/** A terminal, on which a person reads along. */
export const isForPeople = ({ production }: Pick<Config, 'production'>): boolean =>
  process.stdout.isTTY === true && !production;

/** JSON, a line each; on a terminal, lines for people. Lines of a request carry its id. */
export const createLog = (
  { logLevel, production = true }: Pick<Config, 'logLevel'> & Partial<Pick<Config, 'production'>>,
  destination: pino.DestinationStream = isForPeople({ production }) ? terminal : new LogOutput(),
): Logger =>
  pino(
    { level: logLevel, base: undefined, serializers: { err: withoutData }, mixin: ofRequest },
    destination,
  );

function ofRequest(): object {
  const id = currentVisit()?.trail?.id;
  return id === undefined ? {} : { request: id };
}

/** In bytes: lines that wait for a reader. Further ones are left out. */
const MOST = 8 * 1_024 * 1_024;

/** In bytes: a pipe takes so much at once or not at all (PIPE_BUF), so lines of several workers stay whole. */
const PIECE = 4_096;

/** In milliseconds, before a write that failed is tried again. */
const PAUSE = 20;

/** In milliseconds: how long the end of the process waits. */
const LAST_WORDS = 500;

/**
 * Writes the log to standard output, the lines of one turn of the event loop together, and never waits for a reader.
 * pino's own destination does not let a process end whose disk is full, or whose reader has gone.
 */
export class LogOutput implements DestinationStream {
  /** Whole lines, as many as fit into a piece. A longer line is a piece by itself. */
  private readonly waiting: string[] = [];
  private sizeOfLast = 0;
  /** What is left of the piece that is being written. */
  private current = Buffer.alloc(0);
  private bytes = 0;
  private leftOut = 0;
  private isDue = false;
  private hasReader = true;

  /** A write to a pipe returns at once: Node makes pipes so when `process.stdout` is first looked at. */
  constructor(private readonly fd = 1) {
    process.once('exit', () => this.end());
  }

  write(line: string): void {
    if (!this.hasReader) return;
    if (this.bytes > MOST) this.leftOut += 1;
    else this.add(line);
    if (!this.isDue) setImmediate(() => this.flush());
    this.isDue = true;
  }

  private add(line: string): void {
    const size = Buffer.byteLength(line);
    const fits = this.waiting.length > 0 && this.sizeOfLast + size <= PIECE;
    if (fits) this.waiting[this.waiting.length - 1] += line;
    else this.waiting.push(line);
    this.sizeOfLast = fits ? this.sizeOfLast + size : size;
    this.bytes += size;
  }

  /** Tries again later, whether nobody reads or the disk is full. */
  private flush(): void {
    this.isDue = !this.hasWritten();
    if (this.isDue) setTimeout(() => this.flush(), PAUSE).unref();
  }

  /** Whether all has been written, or nobody will ever read it. */
  private hasWritten(): boolean {
    try {
      while (this.fill()) {
        const written = writeSync(this.fd, this.current);
        this.current = this.current.subarray(written);
        this.bytes -= written;
      }
    } catch (error) {
      this.hasReader = (error as NodeJS.ErrnoException).code !== 'EPIPE';
      return !this.hasReader;
    }
    return true;
  }

  /** Returns whether there is something to write. */
  private fill(): boolean {
    if (this.current.length === 0 && this.waiting.length === 0 && this.leftOut > 0) {
      this.add(warning(`${this.leftOut} lines were left out: nobody had read those before them`));
      this.leftOut = 0;
    }
    if (this.current.length === 0) this.current = Buffer.from(this.waiting.shift() ?? '');
    return this.current.length > 0;
  }

  /** The event loop has ended. */
  private end(): void {
    const until = performance.now() + LAST_WORDS;
    while (this.hasReader && !this.hasWritten() && performance.now() < until)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE);
  }
}

const warning = (msg: string) => `${JSON.stringify({ level: 40, time: systemClock.now().getTime(), msg })}\n`;
