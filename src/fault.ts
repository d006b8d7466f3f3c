import { ConfigError } from './config.js';
import { DataDirectoryError } from './data-directory.js';

/** What an operator needs to read when the service cannot start: a line, or a stack where nobody foresaw it. */
export function explainFault(error: unknown): string {
  if (error instanceof ConfigError || error instanceof DataDirectoryError) return error.message;
  const { code, message, stack } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return `The port is taken (${message}). Choose another with PORT.`;
  if (code === 'EACCES' && /listen/.test(message)) return `The port may not be used (${message}).`;
  if (code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === '28P01' || code === '3D000') {
    return `The database of DATABASE_URL cannot be used: ${message}`;
  }
  return stack ?? String(error);
}
