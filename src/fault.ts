import { ConfigError } from './config.js';
import { DataDirectoryError } from './data-directory.js';
import { refusalOf } from './database/faults.js';
import { withoutData } from './log.js';

/** What an operator needs to read when the service cannot start: a line, or a stack where nobody foresaw it. */
export function explainFault(error: unknown): string {
  if (error instanceof ConfigError || error instanceof DataDirectoryError) return error.message;
  const { code = '', message, syscall } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return `The port is taken (${message}). Choose another with PORT.`;
  if (syscall === 'listen') return `Cannot listen there (${message}). See HOST and PORT.`;
  if (NO_ROOM.test(code)) return `Nothing can be written to the database: ${message}. Is its disk full?`;
  if (refusalOf(error) || NO_ENTRY.test(code))
    return `The database of DATABASE_URL cannot be used: ${message}`;
  return withoutData(error).stack ?? String(error);
}

/** Wrong password or user, no such database, no permission. */
const NO_ENTRY = /^(28000|28P01|3D000|42501)$/;

/** A full disk; and a session that may only read, as the embedded database's when its disk is nearly full. */
const NO_ROOM = /^(53100|25006)$/;
