import pino, { type Logger } from 'pino';
import type { Config } from './config.js';

/** Errors of the database contain statements and rows, and with them e-mails and password hashes. */
export function withoutData(error: unknown): Record<string, unknown> & { stack?: string } {
  if (!(error instanceof Error)) return { type: typeof error };
  const { name, message, stack = '', code, constraint } = error as Error & Record<string, unknown>;
  const safeMessage = withoutValues(message, String(code));
  return {
    type: name,
    message: safeMessage,
    stack: `${name}: ${safeMessage}${framesOf(stack, message)}`,
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

export const createLog = (
  { logLevel }: Pick<Config, 'logLevel'>,
  destination?: pino.DestinationStream,
): Logger => pino({ level: logLevel, base: undefined, serializers: { err: withoutData } }, destination);
