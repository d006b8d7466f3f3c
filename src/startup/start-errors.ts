import { ConfigError } from '../config.js';
import { DataDirectoryError } from '../data-directory.js';
import { NewerDatabaseError } from '../database/migrations.js';
import { refusalOf, ServerError } from '../database/outcome.js';
import { withoutData } from '../log.js';

/** The service cannot listen. Its causes have the same codes as those of an unreachable database. */
export class ListenError extends Error {}

/** Explains why the start failed: one line for a known cause, a stack for any other. */
export function explainStartError(error: unknown): string {
  if (FOR_OPERATORS.some((kind) => error instanceof kind)) return (error as Error).message;
  const { code = '' } = error as NodeJS.ErrnoException;
  const [message = ''] = (error as Error).message.split('\n');
  if (error instanceof ListenError) {
    const { code, message } = error.cause as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') return `The port is taken (${message}). Choose another with PORT.`;
    return `Cannot listen there (${message}). See HOST and PORT.`;
  }
  if (NO_ROOM.test(code)) return `Nothing can be written to the database: ${message}. Is its disk full?`;
  if (error instanceof ServerError || refusalOf(error) || NO_ENTRY.test(code))
    return `The database of DATABASE_URL cannot be used: ${message}`;
  return withoutData(error).stack ?? String(error);
}

/** Errors whose message is one line, or more for several settings. */
const FOR_OPERATORS = [ConfigError, DataDirectoryError, NewerDatabaseError];

/** Wrong password or user, no such database, no permission. */
const NO_ENTRY = /^(28000|28P01|3D000|42501)$/;

/** A full disk; or a read-only session, as on the embedded database when its disk is nearly full. */
const NO_ROOM = /^(53100|25006)$/;
