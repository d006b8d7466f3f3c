import pino, { type Logger } from 'pino';
import type { Config } from './config.js';
import { currentVisit } from './request.js';
import { LogOutput } from './telemetry/log-output.js';
import { asText } from './telemetry/readable.js';

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
