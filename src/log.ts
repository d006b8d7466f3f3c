import pino, { type Logger } from 'pino';
import type { Config } from './config.js';

/** Errors of the database carry statements and rows, and with them e-mails and password hashes. */
function withoutData(error: Error & { code?: string; constraint?: string }) {
  const { name, message, stack, code, constraint } = error;
  return { type: name, message, stack, code, constraint };
}

export const createLog = (
  { logLevel }: Pick<Config, 'logLevel'>,
  destination?: pino.DestinationStream,
): Logger => pino({ level: logLevel, base: undefined, serializers: { err: withoutData } }, destination);
