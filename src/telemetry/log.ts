import pino, { type DestinationStream, type Logger } from 'pino';
import { systemTime } from '../base/clock.js';
import type { Config } from '../base/config.js';
import { asText } from './readable.js';

/** Clients choose some words in messages. */
const MOST_CHARACTERS = { message: 2_000, stack: 10_000 };

const terminal = { write: (line: string) => void process.stdout.write(asText(line)) };

/** Errors of the database contain statements and rows, and with them e-mails and password hashes. */
export function withoutData(error: unknown): Record<string, unknown> & { stack?: string } {
  if (!(error instanceof Error)) return { type: typeof error };
  const { name, message, stack = '', code, constraint } = error as Error & Record<string, unknown>;
  const safeMessage = withoutValues(message, String(code)).slice(0, MOST_CHARACTERS.message);
  return {
    type: name,
    message: safeMessage,
    stack: `${name}: ${safeMessage}${framesOf(stack, message)}`.slice(0, MOST_CHARACTERS.stack),
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

interface LogSettings extends Pick<Config, 'logLevel'>, Partial<Pick<Config, 'production'>> {
  /** The id of the request that is worked on, which its lines carry. */
  requestId?: () => string | undefined;
}

/** JSON, a line each; on a terminal, lines for people. */
export const createLog = (
  { logLevel, production = true, requestId }: LogSettings,
  destination: pino.DestinationStream = isForPeople({ production }) ? terminal : standardOutput(),
): Logger =>
  pino(
    {
      level: logLevel,
      base: undefined,
      serializers: { err: withoutData },
      mixin: () => ({ request: requestId?.() }),
    },
    destination,
  );

/** The most that a pipe takes at once or not at all (PIPE_BUF), so that lines of several workers stay whole. */
const PIECE_BYTES = 4_096;

/** Lines beyond this are left out while nobody reads those before them. */
const UNREAD_BYTES = 1_024 * 1_024;

/** How long lines are gathered: to write each by itself would cost as much as a small request. */
const GATHERED_MS = 20;

const RETRY_MS = 100;

/** How long the end of the process waits. */
const LAST_WORDS_MS = 500;

/**
 * Standard output by pino's own writer, the lines of a moment together. Neither a slow reader nor a full disk keeps
 * anybody waiting: it tries again later.
 */
export function standardOutput(fd = 1): DestinationStream {
  const output = pino.destination({
    dest: fd,
    sync: true, // the other kind never lets a process end whose disk is full
    minLength: PIECE_BYTES - 1,
    maxWrite: PIECE_BYTES,
    maxLength: UNREAD_BYTES,
    retryEAGAIN: () => false,
  });
  let [isDue, isStuck, hasReader, leftOut] = [false, false, true, 0];
  output.on('drop', () => {
    leftOut += 1;
  });
  output.on('error', ({ code }: NodeJS.ErrnoException) => {
    isStuck = true;
    hasReader = code !== 'EPIPE';
  });
  const flush = () => {
    isStuck = false;
    output.flush();
    if (!isStuck && leftOut > 0) {
      output.write(warning(`${leftOut} lines were left out: nobody had read those before them`));
      leftOut = 0;
    }
    if (!isStuck) output.flush();
  };
  const flushLater = () => {
    isDue = false;
    flush();
    if (!isStuck || !hasReader) return;
    isDue = true;
    setTimeout(flushLater, RETRY_MS).unref();
  };
  process.once('exit', () => {
    const until = performance.now() + LAST_WORDS_MS;
    for (flush(); isStuck && hasReader && performance.now() < until; flush())
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS / 5);
  });
  return {
    write(line) {
      if (!hasReader) return;
      output.write(line);
      if (!isDue) setTimeout(flushLater, GATHERED_MS).unref();
      isDue = true;
    },
  };
}

const warning = (msg: string) => `${JSON.stringify({ level: 40, time: systemTime(), msg })}\n`;
